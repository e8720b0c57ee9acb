"""What viewers may know and how a game presents itself: views, languages, behaviour tables."""
