/** Addresses that delivery leaves from, on the loopback interface, which can be taken away and given back: as root only. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** RFC 2544: a network for measurements, which leads nowhere. */
const NETWORK = '198.18'
/** The term of an SPF record that allows all of them. */
export const SOURCES_TERM = `ip4:${NETWORK}.0.0/16`
const COUNT = 2
/** The label of an address names the process that added it. */
const LABEL = 'lo:c'

export class SourceAddresses implements Disposable {
  readonly all: readonly string[]

  private constructor(all: readonly string[]) {
    this.all = all
  }

  /** A sentence when they cannot be had here. */
  static add(): SourceAddresses | string {
    removeLeftoverAddresses()
    const all = Array.from(
      { length: COUNT },
      (_, index) => `${NETWORK}.${(process.pid % 254) + 1}.${index + 1}`,
    )
    const added = new SourceAddresses(all)
    try {
      for (const address of all) added.give(address)
    } catch (error) {
      added[Symbol.dispose]()
      return `addresses can be added only by root, with iproute2: ${(error as Error).message.split('\n')[0]}`
    }
    return added
  }

  give(address: string): void {
    ip('add', `${address}/32`, 'label', `${LABEL}${process.pid}`)
  }

  /** Connections from it stall; nobody can connect from it any more. */
  take(address: string): void {
    ip('del', `${address}/32`)
  }

  [Symbol.dispose](): void {
    for (const address of this.all) {
      try {
        this.take(address)
      } catch {
        // It was taken already, or never added.
      }
    }
  }
}

/** The settings of a node by which mail leaves from these addresses, each with a name that tells its life. */
export function sourceSetting(addresses: readonly string[], life: string): string {
  return addresses.map((address, index) => `${address}=${index === 0 ? '' : `from${index}.`}${life}`).join()
}

/** What tells the addresses apart. */
export function lastNumber(address: string): number {
  return Number(address.slice(address.lastIndexOf('.') + 1))
}

/** The life of a node that says this name in EHLO. */
export function lifeOfHelo(helo: string): string {
  return helo.replace(/^from\d+\./, '')
}

function ip(verb: string, ...args: string[]): void {
  execFileSync('ip', ['address', verb, ...args, 'dev', 'lo'], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Removes the addresses of runs that were killed outright. */
function removeLeftoverAddresses(): void {
  let shown = ''
  try {
    shown = execFileSync('ip', ['-o', '-4', 'address', 'show', 'dev', 'lo'], { encoding: 'utf8' })
  } catch {
    return
  }
  for (const [, address, pid] of shown.matchAll(/inet (\S+)\/32 .* lo:c(\d+)/g)) {
    if (!existsSync(`/proc/${pid}`)) ip('del', `${address}/32`)
  }
}
