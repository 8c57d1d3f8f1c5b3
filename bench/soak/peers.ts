/** The recipient domains of a soak run: most have a good server, and one in twenty a bad one, each in its own way. */
import type { Zone } from '../../harness/dns.ts'
import { domainName } from '../message.ts'
import { OBLIGING, parseBehaviour, type SinkBehaviour } from '../sink/behaviour.ts'

/** The behaviour of each bad server. All of them accept some mail, so that no backlog grows for ever. */
const HOSTILE: Record<string, string> = {
  slow: 'latency=300,dribble=5',
  hanging: 'hang@connect=0.002,hang@data=0.002,hang@dot=0.002',
  greylisting: '4xx@rcpt=0.5,4xx@dot=0.1',
  refusing: '5xx@rcpt=0.3,5xx@dot=0.2',
  cutting: 'cut@connect=0.1,cut@mail=0.1,cut@data=0.1,cut@dot=0.1',
  mixed:
    'latency=50,4xx@connect=0.1,4xx@mail=0.1,5xx@dot=0.1,cut@rcpt=0.1,messages=5,connections=10,starttls',
}

/** One domain in this many has a bad server. */
const ONE_IN = 20

export const SOAK_DOMAINS = ONE_IN * Object.keys(HOSTILE).length

export interface SoakPeer {
  host: string
  behaviour: SinkBehaviour
}

/** The first peer is the good one. */
export function soakPeers(): SoakPeer[] {
  const bad = Object.values(HOSTILE).map((text, index) => ({
    host: `127.0.0.${index + 2}`,
    behaviour: parseBehaviour(text),
  }))
  return [{ host: '127.0.0.1', behaviour: OBLIGING }, ...bad]
}

export function soakZone(): Zone {
  const zone: Zone = {}
  for (const [index, { host }] of soakPeers().entries()) zone[`mx${index}.sink.test/A`] = [host]
  for (let domain = 0; domain < SOAK_DOMAINS; domain++) {
    const bad = domain % ONE_IN === ONE_IN - 1
    const peer = bad ? 1 + Math.floor(domain / ONE_IN) : 0
    zone[`${domainName(domain)}/MX`] = [`10 mx${peer}.sink.test`]
  }
  return zone
}
