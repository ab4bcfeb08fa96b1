# The program alone, in an image of two stages:
#
#     docker build --tag robosieve .
#     docker run --rm --init --user "$(id -u):$(id -g)" --volume "$PWD:/data" robosieve --help
#
# With --init, Ctrl-C ends a run as it does outside. The files of /data keep their owner with --user.

FROM rust:1-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --bin robosieve

FROM debian:bookworm-slim
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/robosieve/
COPY --from=build /source/target/release/robosieve /usr/local/bin/robosieve
USER nobody
WORKDIR /data
ENTRYPOINT ["robosieve"]
