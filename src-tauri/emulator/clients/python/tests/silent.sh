#!/bin/sh
# Stands in for a server that never says that it is ready.
exec cat
