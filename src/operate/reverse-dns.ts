/** Whether DNS resolves the name of a source address to it, and the address back to its name (RFC 1912 2.1). */
import type { Operation } from './verb.ts'

/** A sentence about what was found, and one about the next step. */
export interface ReverseFault {
  /** `unknown`: DNS did not answer. */
  state: 'unknown' | 'wrong'
  found: string
  /** The names that the address has. */
  names: string[]
  advice: string
}

export const ASK_AGAIN = 'Try again in a minute.'

/** For a name without an address. */
export function addressAdvice(name: string): string {
  return name.includes('.')
    ? `Add an A record for ${name} with the public address of this machine.`
    : 'Set POSTROAD_HOSTNAME to a name that resolves to this machine.'
}

/** `name` resolves to `address`. Null: the address resolves back to it. */
export async function reverseFault(
  hosts: Pick<ReturnType<Operation['hosts']>, 'names'>,
  name: string,
  address: string,
): Promise<ReverseFault | null> {
  const answer = await hosts.names(address)
  if (answer.kind === 'failed') {
    const found = `DNS answers ${answer.reason} for the name of ${address}.`
    return { state: 'unknown', found, names: [], advice: ASK_AGAIN }
  }
  const names = answer.kind === 'found' ? answer.records : []
  if (names.includes(name.toLowerCase())) return null
  const found = names.length === 0 ? 'has no name in reverse DNS' : `resolves back to ${names.join(', ')}`
  return {
    state: 'wrong',
    found: `${name} resolves to ${address}, but ${address} ${found}.`,
    names,
    advice: `Ask the provider of the address to set its reverse DNS (PTR) to ${name}.`,
  }
}
