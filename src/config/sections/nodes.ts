/** Settings of the section "Nodes": the nodes that share a database. */
import { resolve } from 'node:path'
import { durationWithin } from '../parse/quantity.ts'
import { nameUpTo, someOf } from '../parse/word.ts'
import { setting } from '../setting.ts'

export const NODE_SETTINGS = {
  POSTROAD_ROLES: setting({
    section: 'Nodes',
    field: 'roles',
    parse: someOf(['api', 'delivery']),
    default: 'api,delivery',
    allowed: '`api`, `delivery`, or both, separated by a comma; with SQLite always both',
    description:
      'What this node does: `api` accepts mail over HTTP and SMTP, `delivery` delivers it. Several nodes can share a ' +
      'PostgreSQL database, each with its own roles. A node without `api` still serves `/health`, `/ready` and `/metrics`.',
    example: 'delivery',
  }),
  POSTROAD_NODE_NAME: setting({
    section: 'Nodes',
    field: 'nodeName',
    parse: nameUpTo(100),
    default: null,
    defaultShown: "the host's name, with a number where several nodes run on it",
    allowed: '1 to 100 characters',
    description:
      'Name of this node in `postroad node list` and in the logs of other nodes. On PostgreSQL, a node that was killed and is started ' +
      'again on the same machine under the same name resumes its own work at once. Give each node its own name.',
    example: 'delivery-2',
  }),
  POSTROAD_NODE_DIRECTORY: setting({
    section: 'Nodes',
    field: 'nodeDirectory',
    parse: (text) => resolve(text),
    default: null,
    defaultShown: "`postroad-<user id>` in the system's temporary folder",
    allowed: 'path of a directory on a local file system of this machine; created if it is missing',
    description:
      'Where a node keeps the file that tells it, when it is started again, whether the previous process has ended. ' +
      'Set it if the temporary directory does not outlive the process (`PrivateTmp=` of systemd, a recreated container). ' +
      'No effect with SQLite.',
    example: '/var/lib/postroad/nodes',
  }),
  POSTROAD_NODE_TIMEOUT: setting({
    section: 'Nodes',
    field: 'nodeTimeout',
    parse: durationWithin('1s', '10m'),
    default: '30s',
    allowed: '1s to 10m',
    description:
      'How long a node may be silent before other nodes take over its work. A node that cannot reach the database ' +
      'for this long stops sending slightly earlier. No effect with SQLite.',
    example: '10s',
  }),
}
