/** The faults that the checker of chaos runs accepts as a reason, and those it does not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Doubles, explain } from '../../chaos/doubles.ts'
import { type FaultKind, FaultLog } from '../../chaos/fault-log.ts'
import type { Seen } from '../../chaos/ledger.ts'
import { refusedByLostCommit } from '../../chaos/refused.ts'

const LIVES = ['d1-1.chaos.test', 'd2-1.chaos.test', 'd1-2.chaos.test']

function logWith(faults: [kind: FaultKind, nodes: string[], from: number, until: number][]): FaultLog {
  const log = new FaultLog()
  log.nodeTimeout = 5_000
  for (const name of [...LIVES, 'a1-1.chaos.test']) {
    const node = name.split('-')[0]!
    const api = node === 'a1'
    log.lives.set(name, { name, node, api, from: 0, until: Number.POSITIVE_INFINITY, end: '' })
  }
  for (const [kind, nodes, from, until] of faults) log.begin(kind, nodes, '', from).until = until
  return log
}

function cause(log: FaultLog, laterAt: number, later = 1): string {
  const seen = (life: number, dotAt: number): Seen => {
    return { life, source: 1, server: 0, dotAt, answeredAt: dotAt + 10, ending: 'answered', hash: 1 }
  }
  return explain(seen(0, 100_000), seen(later, laterAt), LIVES, log).cause
}

test('a second message after a cut is explained when the cut kept the record away and outlasted the node timeout', () => {
  assert.equal(cause(logWith([['cut', ['d1'], 99_990, 110_000]]), 106_000), 'cut-off-before-record')
  assert.equal(cause(logWith([['pause-long', ['d1'], 100_005, 110_000]]), 106_000), 'paused-before-record')
  // The database was away for all nodes when the node was cut off from it.
  const both = logWith([
    ['database-kill', [], 99_000, 108_000],
    ['cut', ['d1'], 107_000, 115_000],
  ])
  assert.equal(cause(both, 114_000), 'cut-off-before-record')
})

test('a second message is explained when the address of the first one died before the reply could be read', () => {
  const died = (address: string, from: number, until: number) => {
    const log = logWith([])
    log.begin('source', [], address, from).until = until
    return log
  }
  assert.equal(cause(died('198.18.7.1', 99_500, 104_000), 106_000), 'source-died')
  assert.equal(cause(died('198.18.7.1 and 198.18.7.2', 100_500, 104_000), 106_000, 0), 'source-died')
  assert.equal(cause(died('198.18.7.2', 99_500, 104_000), 106_000), 'unexplained')
  assert.equal(cause(died('198.18.7.1', 102_000, 104_000), 106_000), 'unexplained')
})

test('after a takeover from a silent node, its successor of the same name may send the message again', () => {
  const log = logWith([['pause-long', ['d1'], 103_000, 113_000]])
  log.lives.get(LIVES[0]!)!.until = 135_000
  assert.equal(cause(log, 157_000, 2), 'paused-before-record')
  assert.equal(cause(logWith([['pause-long', ['d2'], 103_000, 113_000]]), 157_000, 2), 'unexplained')
})

test('a second message stays unexplained if the fault hit another node, was too short, came too late or had ended', () => {
  assert.equal(cause(logWith([]), 106_000), 'unexplained')
  assert.equal(cause(logWith([['cut', ['d2'], 99_990, 110_000]]), 106_000), 'unexplained')
  assert.equal(cause(logWith([['cut', ['d1'], 99_990, 102_000]]), 106_000), 'unexplained')
  assert.equal(cause(logWith([['cut', ['d1'], 99_990, 110_000]]), 102_000), 'unexplained')
  assert.equal(cause(logWith([['cut', ['d1'], 106_000, 120_000]]), 115_000), 'unexplained')
  assert.equal(cause(logWith([['cut', ['d1'], 80_000, 99_000]]), 106_000), 'unexplained')
  assert.equal(cause(logWith([['database-fast', [], 99_990, 110_000]]), 112_000), 'unexplained')
})

test('a node that lived on sends nothing twice, cut off or not', () => {
  assert.equal(cause(logWith([['cut', ['d1'], 99_990, 110_000]]), 106_000, 0), 'unexplained')
})

test('an orderly stop records everything that is known', () => {
  const log = logWith([['stop', ['d1'], 100_100, 100_100]])
  const life = log.lives.get(LIVES[0]!)!
  life.until = 103_000
  life.end = '0'
  assert.equal(cause(log, 106_000), 'unexplained')
  life.end = 'SIGKILL'
  assert.equal(cause(log, 106_000), 'killed-before-record')
})

test('a refused message may be sent only when its node was away from the database as long as a lost commit is looked after', () => {
  const refused = (...faults: Parameters<typeof logWith>[0]) => refusedByLostCommit(100_000, logWith(faults))
  assert.equal(refused(['cut', ['a1'], 89_500, 103_000]), true)
  assert.equal(refused(['database-kill', [], 89_500, 95_000], ['cut', ['a1'], 94_000, 101_000]), true)
  assert.equal(refused(['stop', ['a1'], 98_000, 98_000], ['database-fast', [], 97_000, 103_000]), true)
  assert.equal(refused(), false)
  assert.equal(refused(['cut', ['d1'], 89_500, 103_000]), false)
  assert.equal(refused(['cut', ['a1'], 96_000, 103_000]), false)
  assert.equal(refused(['cut', ['a1'], 85_000, 92_000]), false)
  assert.equal(refused(['stop', ['a1'], 98_000, 98_000]), false)
})

test('after a lost answer another server may be asked only when the thread that knew the first one died', () => {
  const elsewhere = (log: FaultLog) => {
    const doubles = new Doubles()
    const first: Seen = {
      life: 0,
      source: 1,
      server: 0,
      dotAt: 100_000,
      answeredAt: null,
      ending: 'withheld',
      hash: 1,
    }
    doubles.add('a@x.test', [first, { ...first, server: 1, dotAt: 104_000 }], LIVES, log)
    return doubles.elsewhere.length
  }
  const death = (node: string, at: number) => {
    const log = new FaultLog()
    for (const name of LIVES) log.lives.set(name, logWith([]).lives.get(name)!)
    log.begin('thread', [node], `${node}-1.chaos.test delivery-thread.ts: process.exit(7)`, at).until = at
    return log
  }
  assert.equal(elsewhere(logWith([])), 1)
  assert.equal(elsewhere(death('d1', 102_000)), 0)
  assert.equal(elsewhere(death('d2', 102_000)), 1)
  assert.equal(elsewhere(death('d1', 105_000)), 1)
})
