import type { Command } from 'commander'
import { listNodes } from '../operate/nodes.ts'
import { nodeJson } from '../operate/shapes.ts'
import { command, group } from './command.ts'
import { listing } from './listing.ts'
import { shownTime } from './print.ts'

export function addNode(program: Command): void {
  const node = group(program, 'node', 'Nodes: the processes that share this database.', ['node list'])
  command(node, {
    usage: 'list',
    description: 'List the nodes in service, with what they do.',
    details:
      'BEATS rises while a node lives: run it twice. One that is silent for its TIMEOUT is given up by the others, which also take ' +
      'over its work; one that uses an SQLite database is alone, does not beat, and is shown until the next one starts.',
    examples: ['node list', 'node list --json'],
  }).action(list)
}

const list = listing({
  verb: listNodes,
  json: nodeJson,
  titles: ['NODE', 'ROLES', 'SINCE', 'TIMEOUT', 'BEATS', 'TOKEN'],
  row: ({ token, name, roles, since, timeoutMs, beats }) => {
    return [name, roles.join(','), shownTime(since), `${timeoutMs / 1_000}s`, beats, token]
  },
  nothing: 'No node is in service.',
})
