import type { Command } from 'commander'
import { listNodes } from '../operate/nodes.ts'
import { nodeJson } from '../operate/shapes/node.ts'
import { command, group } from './command.ts'
import { listing } from './listing.ts'
import { formatTime } from './print.ts'

export function addNode(program: Command): void {
  const node = group(program, 'node', 'Nodes: the processes that share this database.', ['node list'])
  command(node, {
    usage: 'list',
    description: 'List the running nodes with their roles and work.',
    details:
      'BEATS rises while a node is alive: run the command twice to see it. When a node is silent for its TIMEOUT, the other nodes take ' +
      'over its work. A node on an SQLite database runs alone, sends no heartbeats, and is listed until the next one starts.',
    examples: ['node list', 'node list --json'],
  }).action(list)
}

const list = listing({
  verb: listNodes,
  json: nodeJson,
  titles: ['NODE', 'ROLES', 'SINCE', 'TIMEOUT', 'BEATS', 'TOKEN'],
  row: ({ token, name, roles, since, timeoutMs, beats }) => {
    return [name, roles.join(','), formatTime(since), `${timeoutMs / 1_000}s`, beats, token]
  },
  nothing: 'No node is running.',
})
