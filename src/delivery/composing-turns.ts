/**
 * Turns of this thread for composing. Many deliveries begin in one turn of the event loop, and large messages add up:
 * after some octets, each further one waits for a turn of its own.
 */
import { LoopTurns } from '../common/loop-turns.ts'

/** The most octets of messages that are composed in one turn, which takes some ms. */
const MAX_OCTETS = 512 * 1024

const turns = new LoopTurns()
/** Octets that were composed in the present turn. */
let composed = 0

/** Composes in a turn that has room; companies take turns. `octets`: of the result. */
export async function inComposingTurn<Made>(
  companyId: string,
  compose: () => Made,
  octets: (made: Made) => number,
): Promise<Made> {
  const turn = composingTurn(companyId)
  if (turn !== null) await turn
  const made = compose()
  countComposed(octets(made))
  return made
}

/** Null: there is room in the present turn. */
function composingTurn(companyId: string): Promise<void> | null {
  if (turns.length === 0 && composed < MAX_OCTETS) return null
  return new Promise((begin) => turns.take(companyId, begin))
}

function countComposed(octets: number): void {
  if (composed === 0) {
    // Unreferenced, so that the reset alone does not cause a turn of the event loop.
    setImmediate(() => {
      composed = 0
    }).unref()
  }
  composed += octets
}
