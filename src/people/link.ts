/** What a link to sign in looks like: its token stands behind `#`, which no server and no log gets to see. */
export function signInUrl(console: string, token: string): string {
  return `${console}/console/sign-in#token=${token}`
}
