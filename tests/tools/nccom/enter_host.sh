#!/bin/sh
# enter_host.sh HOST COMMAND... : in place of ssh for mpirun, on a host that mpi_hosts_test.py has made. HOST_name in the environment
# is the process whose namespaces are the host; as with ssh nothing else of the environment gets there.
process=$(printenv "HOST_$1") || exit 255
shift
exec env -i PATH="$PATH" nsenter --target "$process" --mount --uts --ipc --net --pid --wd=/ sh -c "$*"
