# The table in a browser: docker build -t w51 . && docker run -p 5151:5151 w51
# Training: mkdir -p runs && docker run --user "$(id -u)" -e HOME=/tmp -v "$PWD/runs:/work/runs" w51 w51 train --config selfplay_quick
FROM python:3.12-slim
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY . /source
RUN pip install --no-cache-dir torch==2.13.0 --index-url "$TORCH_INDEX" \
    && pip install --no-cache-dir "/source[train,arena,play]" && rm -r /source \
    && useradd --create-home player && mkdir /work && chown player /work
USER player
WORKDIR /work
EXPOSE 5151
CMD ["w51", "play", "--host", "0.0.0.0"]
