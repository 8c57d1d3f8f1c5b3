import { Jail } from './jail.ts'
import { addressesOf, Peer, type PeerOptions } from './peer.ts'

export const chasquidAddresses = addressesOf(29, ['plain'])

/** Local parts that have no box, and the words of the program that stores mail. */
const FAILING = { gone: '550 5.1.1 No such user here', full: '552 5.2.2 Mailbox is full' }

/** The program that stores mail is called with the local part. Any exit code but 75 is a permanent failure. */
const STORE = `#!/bin/sh
case "$1" in
${Object.entries(FAILING)
  .map(([name, words]) => `${name}) echo "${words}"; exit 1 ;;\n`)
  .join('')}esac
cat >"/var/mail/$1/tmp/$$" && mv "/var/mail/$1/tmp/$$" "/var/mail/$1/new/$$"
`

export class Chasquid extends Peer {
  static async start({ port, certificate, boxes }: PeerOptions): Promise<Chasquid> {
    await using starting = new AsyncDisposableStack()
    const jail = starting.use(new Jail('chasquid', ['usr/bin/chasquid', 'bin/sh', 'bin/cat', 'bin/mv']))
    const host = chasquidAddresses.plain
    jail.write(
      'etc/chasquid/chasquid.conf',
      `hostname: "chasquid.test"
smtp_address: "${host}:${port}"
mail_delivery_agent_bin: "/usr/bin/store"
mail_delivery_agent_args: "%to_user%"
data_dir: "/var/lib/chasquid"
mail_log_path: "<stderr>"
`,
    )
    jail.write('etc/chasquid/certs/chasquid.test/fullchain.pem', certificate.cert)
    jail.write('etc/chasquid/certs/chasquid.test/privkey.pem', certificate.key, 0o600)
    const known = [...boxes, ...Object.keys(FAILING)]
    jail.write(
      'etc/chasquid/domains/good.test/users',
      known.map((name) => `users: { key: "${name}" value: { scrypt: {} } }\n`).join(''),
    )
    jail.directory('var/lib/chasquid')
    jail.directory('etc/chasquid/hooks')
    jail.write('usr/bin/store', STORE, 0o755)
    for (const box of boxes) for (const part of ['', 'new', 'tmp']) jail.directory(`var/mail/${box}/${part}`)
    await jail.start(['/usr/bin/chasquid', '--config_dir=/etc/chasquid'], [{ host, port }])
    starting.move()
    return new Chasquid(jail)
  }
}
