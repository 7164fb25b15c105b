# trnsim on Debian 12.
#
#   docker build -t trnsim .
#   docker run --rm -v "$PWD:/work" trnsim run m.neff --random-inputs 1
#
# The cores are compiled for the processor that builds the image: on one that lacks an extension the program refuses them.

# The packages of a build, of which the script has the list. .devcontainer begins with this stage.
FROM debian:12-slim AS packages
WORKDIR /trnsim
COPY trnsim CMakeLists.txt ./
COPY tools/cli/commands.cpp tools/cli/
RUN ./trnsim setup build && rm -rf /var/lib/apt/lists/*

FROM packages
COPY . .
# The first command builds the program and the cores of trn1 and small16; sweeps build others in the cache.
RUN ./trnsim config list
WORKDIR /work
ENTRYPOINT ["/trnsim/build/release/bin/trnsim"]
CMD ["--help"]
