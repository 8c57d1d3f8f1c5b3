/** Faults of PostgreSQL itself: its server stopped and killed, sessions terminated, no connection left. */
import { Client, DatabaseError } from 'pg'
import { type ChaosDatabase, execute } from '../database.ts'
import { type FaultMaker, oneAtATime, type Stage } from '../stage.ts'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TOO_MANY_CONNECTIONS = '53300'

/** Sessions of the service, and of nobody else. */
const SESSIONS = `FROM pg_stat_activity WHERE application_name = 'postroad' AND pid <> pg_backend_pid()`

export function databaseFaults(stage: Stage, database: ChaosDatabase): FaultMaker[] {
  const { random, log } = stage
  const { cluster } = database
  /** A server that is down has no sessions, and is not stopped again. */
  const alone = oneAtATime()

  const restart = (mode: 'smart' | 'fast' | 'immediate' | 'kill') =>
    alone(async () => {
      const away = random.pick([0, random.between(200, 3_000), random.between(3_000, 12_000)])
      const fault = log.begin(`database-${mode}`, [], `away for ${Math.round(away)} ms`)
      try {
        if (mode === 'kill') await cluster.kill()
        else if (mode !== 'smart') await cluster.stop(mode)
        else {
          // It refuses newcomers and waits for the others, who keep their connections: some time later it is told to hurry.
          const { pid } = cluster
          const gone = cluster.stop('smart')
          await Promise.race([gone, stage.wait(random.between(500, 5_000))])
          signal(pid, 'SIGINT')
          await gone
        }
        fault.hits++
        await stage.wait(away)
      } finally {
        await cluster.start()
        log.end(fault)
      }
    })

  /** Sessions that the server is about to refuse hold the slots of superusers for a moment: it tries again then. */
  const endSessions = async (share: number): Promise<number> => {
    const sql = `SELECT count(pg_terminate_backend(pid))::int AS count ${SESSIONS} AND random() < $1`
    while (!stage.over()) {
      try {
        const rows = await execute<{ count: number }>(cluster.url, sql, [share])
        return rows[0]?.count ?? 0
      } catch (error) {
        if (!(error instanceof DatabaseError && error.code === TOO_MANY_CONNECTIONS)) throw error
        await stage.wait(20)
      }
    }
    return 0
  }

  const sessions = alone(async () => {
    const share = random.pick([0.1, 0.5, 1])
    const fault = log.begin('database-sessions', [], `share ${share}`)
    try {
      for (let rounds = random.int(1, 4); rounds > 0 && !stage.over(); rounds--) {
        fault.hits += await endSessions(share)
        await stage.wait(random.between(50, 800))
      }
    } finally {
      log.end(fault)
    }
  })

  const connections = alone(async () => {
    const share = random.pick([0, 0.5, 1])
    const until = performance.now() + random.between(1_000, 9_000)
    const fault = log.begin('database-connections', [], `after the end of a share of ${share}`)
    const taking = new Set<Client>()
    try {
      let ended = false
      while (performance.now() < until && !stage.over()) {
        const before = taking.size
        while (await take(database.url, taking));
        if (taking.size > before) fault.hits = taking.size
        // What the service loses now goes to whoever is quicker.
        if (!ended && share > 0) await endSessions(share)
        ended = true
        await stage.wait(20)
      }
    } finally {
      await Promise.all([...taking].map((client) => client.end().catch(() => {})))
      log.end(fault)
    }
  })

  return [
    { kind: 'database-smart', weight: 1.5, strike: restart('smart') },
    { kind: 'database-fast', weight: 2, strike: restart('fast') },
    { kind: 'database-immediate', weight: 2, strike: restart('immediate') },
    { kind: 'database-kill', weight: 2, strike: restart('kill') },
    { kind: 'database-sessions', weight: 4, strike: sessions },
    { kind: 'database-connections', weight: 3, strike: connections },
  ]
}

/** One more connection, kept; false when there is none to be had. */
async function take(url: string, taken: Set<Client>): Promise<boolean> {
  const client = new Client({ connectionString: url, application_name: 'chaos' })
  client.on('error', () => taken.delete(client))
  try {
    await client.connect()
    taken.add(client)
    return true
  } catch {
    await client.end().catch(() => {})
    return false
  }
}

/** Unless it is gone already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {}
}
