#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measured.sh FILE NAME COMMAND...: runs a command and appends a line to FILE: user and system CPU seconds, the time of its
# end, NAME and the command's last argument, separated by tabs.  Ends with the command's status.
printf -v now '%(%s)T'
name="$2	${!#}"
name=${name//$'\n'/ }
TIMEFORMAT="%3U	%3S	$now	${name//%/%%}"
{ time "${@:3}" 2>&3 3>&-; } 3>&2 2>> "$1"
