import type { Command } from 'commander'
import { listNodes } from '../operate/nodes.ts'
import { nodeJson } from '../operate/shapes.ts'
import { command, group, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { printJson, printTable, shownTime } from './print.ts'

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

async function list({ json }: JsonOption): Promise<void> {
  const nodes = await withOperation((op) => listNodes(op, {}))
  if (json) return printJson(nodes.map(nodeJson))
  printTable(
    ['NODE', 'ROLES', 'SINCE', 'TIMEOUT', 'BEATS', 'TOKEN'],
    nodes.map(({ token, name, roles, since, timeoutMs, beats }) => [
      name,
      roles.join(','),
      shownTime(since),
      `${timeoutMs / 1_000}s`,
      beats,
      token,
    ]),
    'No node is in service.',
  )
}
