/** The URL of the console, and links that sign in to it. */

/**
 * @param base the service's URL, without a slash at its end; a service that listens on all addresses is reached on this
 * machine
 */
export function consoleUrl(base: string): string {
  return `${base.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost')}/console/`
}

/** The token stands after `#`, so no server and no log sees it. */
export function signInUrl(base: string, token: string): string {
  return `${consoleUrl(base)}sign-in#token=${token}`
}

/** The page where the bearer chooses a new password. */
export function newPasswordUrl(base: string, token: string): string {
  return `${consoleUrl(base)}new-password#token=${token}`
}
