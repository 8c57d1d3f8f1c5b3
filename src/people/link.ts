/** Where the console is, and links that sign in to it. */

/** @param base of the service, without a slash at its end; where it listens on all addresses, on this machine */
export function consoleUrl(base: string): string {
  return `${base.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost')}/console/`
}

/** The token stands behind `#`, which no server and no log gets to see. */
export function signInUrl(base: string, token: string): string {
  return `${consoleUrl(base)}sign-in#token=${token}`
}
