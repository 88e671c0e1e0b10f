@rem The scripts of package.json begin with "exec", so that signals reach Node through the shell. Windows has no such command but this.
@%*
