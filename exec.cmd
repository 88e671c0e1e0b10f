@rem The scripts of package.json begin with "exec", so that signals reach Node through the shell.
@rem Windows has no such command, so this file stands in for it.
@%*
