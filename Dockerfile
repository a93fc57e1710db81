# Cleave with C and the SAT solvers, as a user without rights:
#
#     docker build -t cleave .
#     docker run --rm --network none -v "$PWD:/work:ro" cleave verify program.c --timelimit 60s
#
# The journals of runs end with the container, unless a volume is mounted at /home/cleave/.local/state.

FROM python:3.11-slim AS build
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN python -m venv --without-pip /opt/cleave \
    && pip --python /opt/cleave/bin/python install --no-cache-dir --no-compile '/source[c,sat]'
# Of Clang's headers and libraries only those for Linux on x86 are used: the rest is more than 150 MB.
RUN cd /opt/cleave/lib/python3.11/site-packages/ziglang/lib \
    && rm -rf libcxx libcxxabi libtsan libunwind libc/mingw libc/musl libc/wasi \
    && find libc/include -mindepth 1 -maxdepth 1 \
        ! -name generic-glibc ! -name 'x86-linux-*' ! -name any-linux-any -exec rm -rf {} +
# A tool that starts processes should not compile itself in each; the user of the image can't write here.
RUN /opt/cleave/bin/python -m compileall -q /opt/cleave/lib/python3.11/site-packages/cleave

FROM python:3.11-slim
RUN useradd --create-home --shell /usr/sbin/nologin cleave
COPY --from=build /opt/cleave /opt/cleave
USER cleave
WORKDIR /work
ENV PATH=/opt/cleave/bin:$PATH
ENTRYPOINT ["cleave"]
CMD ["--help"]
