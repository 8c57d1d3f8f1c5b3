import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { InboundArrival, NewInboundMail } from '../../../src/email/inbound-mail.ts'
import type { RecipientReport } from '../../../src/email/lifecycle.ts'
import { KEPT_MAILS, WHOLE } from '../../../src/store/cold/inbound-mails.ts'
import type { InboundFilter, NamedEmail } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  DAY,
  email,
  eventNames,
  HOUR,
  NOW,
  newId,
  node,
  result,
  states,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function inboundMail(change: Partial<NewInboundMail> = {}): NewInboundMail {
  const id = newId()
  return {
    ...{
      id,
      digest: `digest of ${id}`,
      at: NOW + HOUR,
      source: 'smtp',
      peer: '192.0.2.7',
      emailId: null,
      note: null,
    },
    ...{ recipient: 'b1@bounces.acme.test', from: 'MAILER-DAEMON@mx.x.test', subject: 'Undelivered' },
    ...{ kind: 'bounce', refused: null, findings: [], size: 6, raw: Buffer.from('a\0b\r\n!') },
    ...change,
  }
}

export function bounce(emailId: string, position: number, reportId: string): RecipientReport {
  const detail = { code: 550, message: 'No such mailbox', reportId }
  const happening = {
    kind: 'returned',
    at: NOW + HOUR,
    report: 'bounced',
    detail,
    deadAddress: true,
    fullMailbox: null,
  } as const
  return { emailId, position, happening }
}

export function inboundMailsContract(open: OpenBench): void {
  describe('mail that came back', () => {
    test('is kept in one commit with its changes, once however often it comes', async (t) => {
      const { store, another, commits } = await open(t)
      const owner = await acme(store)
      const token = await store.join(node('a'))
      const value = email(owner, ['a@x.test', 'b@x.test'])
      await store.accept(value, { token })
      await store.record(attempt(value, token, [result(0), result(1)]))
      const arrival = {
        mail: inboundMail({ emailId: value.id }),
        reports: [bounce(value.id, 0, 'r1'), bounce(value.id, 1, 'r1')],
      }
      const before = commits()
      const [first] = await store.keepInboundMails([arrival])
      assert.equal(commits() - before, 1)
      assert.deepEqual(first, { id: arrival.mail.id, outcome: 'recorded', events: 2 })
      const again = { ...arrival, mail: { ...arrival.mail, id: newId() } }
      const [repeated] = await (await another()).keepInboundMails([again])
      assert.deepEqual(repeated, { id: arrival.mail.id, outcome: 'repeated', events: 0 })
      assert.deepEqual(await states(store, value.id), ['bounced', 'bounced'])
      assert.equal((await eventNames(store, value.id)).filter((name) => name.includes('bounced')).length, 2)
      const [kept, ...others] = await store.inboundMails({ companyId: owner.id, limit: 10 })
      assert.deepEqual(others, [])
      const { digest, raw, refused, ...shown } = arrival.mail
      assert.deepEqual(kept, {
        ...shown,
        ...{ companyId: owner.id, outcome: 'recorded', events: 2, times: 2, kept: raw.length },
      })
      assert.deepEqual(Buffer.from((await store.readInboundMail(kept!.id))!), raw)
      assert.equal(await store.readInboundMail(newId()), null)
    })

    test('adds thirty delays of a recipient, however many it reports', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const { id: emailId } = await accept(store, email(owner, ['a@x.test', 'b@x.test']))
      const delays = (position: number, count: number) =>
        Array.from({ length: count }, (_, index): RecipientReport => {
          const { happening } = bounce(emailId, position, `d${index}`)
          return {
            emailId,
            position,
            happening: { ...happening, report: 'delayed', deadAddress: false } as never,
          }
        })
      const keep = async (position: number, count: number) => {
        const arrivals = delays(position, count).map((each) => ({
          mail: inboundMail({ emailId, kind: 'delay' }),
          reports: [each],
        }))
        return (await store.keepInboundMails(arrivals)).reduce((sum, { events }) => sum + events, 0)
      }
      assert.equal(await keep(0, 40), 30)
      assert.equal(await keep(1, 1), 1)
    })

    test('belongs to the company of its email, whichever company handed it in first or again', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const { id: emailId } = await accept(store, email(owner, ['a@x.test']))
      const foreign = inboundMail({ refused: 'no_email' })
      const own = { ...foreign, id: newId(), emailId, refused: 'unproven' as const }
      await store.keepInboundMails([{ mail: foreign, reports: [] }])
      for (const mail of [own, foreign]) {
        await store.keepInboundMails([{ mail, reports: [] }])
        const [kept, ...others] = await store.inboundMails({ companyId: owner.id, limit: 10 })
        assert.deepEqual([kept?.id, kept?.emailId, kept?.outcome], [foreign.id, emailId, 'unproven'])
        assert.deepEqual(others, [])
      }
    })

    test('that comes again without its text loses the text that was kept', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const { id: emailId } = await accept(store, email(owner, ['a@x.test']))
      const foreign = inboundMail({ refused: 'no_email' })
      const own = { ...foreign, id: newId(), emailId, raw: new Uint8Array() }
      for (const mail of [foreign, own, foreign]) await store.keepInboundMails([{ mail, reports: [] }])
      const [kept] = await store.inboundMails({ companyId: owner.id, limit: 1 })
      assert.deepEqual([kept?.id, kept?.kept], [foreign.id, 0])
      assert.equal((await store.readInboundMail(foreign.id))?.length, 0)
    })

    test('is found by each field of a filter, newest first, in pages of both directions', async (t) => {
      const { store } = await open(t)
      const [own, other] = [await acme(store), await acme(store, 'Other')]
      const [one, two] = [
        await accept(store, email(own, ['a@x.test'])),
        await accept(store, email(other, ['b@x.test'])),
      ]
      const mails = [
        inboundMail({ emailId: one.id, refused: 'kept', kind: 'auto_reply' }),
        inboundMail({ emailId: one.id, refused: 'no_recipient' }),
        inboundMail({ emailId: two.id, refused: 'kept', kind: 'auto_reply' }),
        inboundMail({ refused: 'unproven', from: 'a\0b', subject: '\ud800' }),
      ]
      await store.keepInboundMails(mails.map((mail) => ({ mail, reports: [] })))
      const ids = mails.map(({ id }) => id)
      const rows: [filter: Omit<InboundFilter, 'limit'>, found: number[]][] = [
        [{ companyId: null }, [3, 2, 1, 0]],
        [{ companyId: own.id }, [1, 0]],
        [{ companyId: own.id, id: ids[2] }, []],
        [{ companyId: null, id: ids[2] }, [2]],
        [{ companyId: null, emailId: one.id }, [1, 0]],
        [{ companyId: null, kind: 'auto_reply' }, [2, 0]],
        [{ companyId: null, outcome: 'unproven' }, [3]],
        [{ companyId: null, after: ids[2] }, [1, 0]],
        [{ companyId: null, before: ids[1] }, [3, 2]],
      ]
      for (const [filter, found] of rows) {
        const answer = await store.inboundMails({ ...filter, limit: 10 })
        assert.deepEqual(
          answer.map(({ id }) => ids.indexOf(id)),
          found,
          JSON.stringify(filter),
        )
      }
      assert.deepEqual(
        (await store.inboundMails({ companyId: null, before: ids[0], limit: 1 }))[0]?.id,
        ids[1],
      )
    })

    test('names an email, which is found with its recipients', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const token = await store.join(node('a'))
      const value = email(owner, ['A@x.test', 'b@x.test', 'c@x.test'])
      value.content.messageId = '<of-the-sender@acme.test>'
      await store.accept(value, { token })
      await store.record(attempt(value, token, [result(0), result(1), result(2)]))
      const reportedEmail = async (id: string, named: Omit<NamedEmail, 'id'>) =>
        (await store.reportedEmails([{ id, ...named }]))[0]
      const found = await reportedEmail(value.id, {
        addresses: ['a@X.test', 'nobody@x.test', 'nul\0@x.test', 'half\ud800@x.test'],
        position: null,
      })
      assert.deepEqual(
        { ...found, recipients: found?.recipients.map(({ position, address }) => [position, address]) },
        {
          ...{
            id: value.id,
            companyId: owner.id,
            keyId: value.keyId,
            messageId: value.content.messageId,
            sender: value.sender,
            size: 3,
            reports: 0,
          },
          recipients: [[0, 'A@x.test']],
        },
      )
      const none = { addresses: [], position: null }
      assert.equal((await reportedEmail(value.id, none))?.recipients.length, 0)
      assert.equal(await reportedEmail(newId(), none), null)
      assert.equal(await reportedEmail('x', none), null)
      const single = email(owner, ['only@x.test'])
      await store.accept(single, { token })
      const several = await store.reportedEmails([
        { id: single.id, ...none },
        { id: value.id, addresses: ['c@x.test'], position: 1 },
        { id: newId(), ...none },
        { id: value.id, addresses: ['c@x.test', 'A@x.test'], position: null },
      ])
      assert.deepEqual(
        several.map((each) => each?.recipients.map(({ address }) => address)),
        [['only@x.test'], ['b@x.test'], undefined, ['A@x.test', 'c@x.test']],
      )
      const { messageId } = value.content
      const at = value.sender.slice(value.sender.indexOf('@') + 1)
      assert.equal(await store.emailWithMessageId(messageId, at), value.id)
      assert.equal(await store.emailWithMessageId('<other@acme.test>', at), null)
      // Mail of another author with the same Message-ID is other mail.
      for (const other of ['other.test', at.slice(1), `mail.${at}`, '%', '']) {
        assert.equal(await store.emailWithMessageId(messageId, other), null)
      }
      await store.keepInboundMails([
        { mail: inboundMail({ emailId: value.id }), reports: [bounce(value.id, 0, 'r1')] },
      ])
      assert.equal((await reportedEmail(value.id, none))?.reports, 1)
    })

    test('is removed at its age', async (t) => {
      const { store } = await open(t)
      const old = inboundMail({ at: NOW - DAY, refused: 'unproven' })
      await store.keepInboundMails([old, inboundMail()].map((mail) => ({ mail, reports: [] })))
      assert.equal(await store.forgetInboundMails(NOW, 10), 1)
      assert.equal(await store.readInboundMail(old.id), null)
    })

    test('that changed nothing is removed when newer mail takes its place: of its email, its company or no company', async (t) => {
      const { store } = await open(t)
      const [own, other] = [await acme(store), await acme(store, 'Other')]
      const [one, two, foreign] = [
        await accept(store, email(own, ['a@x.test'])),
        await accept(store, email(own, ['a@x.test'])),
        await accept(store, email(other, ['b@x.test'])),
      ]
      const keep = async (arrivals: Omit<InboundArrival, 'reports'>[]) => {
        for (let n = 0; n < arrivals.length; n += 64) {
          const some = arrivals.slice(n, n + 64)
          await store.keepInboundMails(some.map((arrival) => ({ ...arrival, reports: [] })))
        }
      }
      const mails = (count: number, change: Partial<NewInboundMail>) =>
        Array.from({ length: count }, () => inboundMail({ refused: 'kept', ...change }))
      const isKept = async ({ id }: NewInboundMail) => (await store.readInboundMail(id)) !== null
      const others = [
        inboundMail({ refused: 'kept', emailId: two.id }),
        inboundMail({ refused: 'unproven', emailId: one.id }),
        inboundMail({ refused: 'kept', emailId: foreign.id }),
        inboundMail({ refused: 'no_email' }),
      ]
      const recorded = inboundMail({ emailId: one.id })
      await keep(others.map((mail) => ({ mail })))
      await store.keepInboundMails([{ mail: recorded, reports: [bounce(one.id, 0, 'r1')] }])
      const handedIn = inboundMail({ refused: 'no_email', source: 'http' })
      await keep([{ mail: handedIn, handedInBy: other.id }])

      const rows: [
        most: number,
        change: Partial<NewInboundMail>,
        by?: Pick<InboundArrival, 'handedInBy' | 'client'>,
      ][] = [
        [KEPT_MAILS.ofEmail, { emailId: one.id }],
        [KEPT_MAILS.handedIn, { source: 'http' }, { handedInBy: own.id }],
        [KEPT_MAILS.ofClient, {}, { client: '192.0.2.0/24' }],
        [KEPT_MAILS.ofNobody, {}],
      ]
      for (const [most, change, by] of rows) {
        const flood = mails(most + 3, change)
        await keep(flood.map((mail) => ({ mail, ...by })))
        assert.deepEqual(await Promise.all(flood.slice(0, 4).map(isKept)), [false, false, false, true])
        assert.equal(await isKept(flood.at(-1)!), true)
        for (const mail of [...others, recorded, handedIn]) assert.equal(await isKept(mail), true)
      }
    })

    test('that led to events is kept whole while it is among the newest of its network and of its company', async (t) => {
      const { store } = await open(t)
      const [own, other] = [await acme(store), await acme(store, 'Other')]
      const token = await store.join(node('a'))
      const raw = Buffer.alloc(5_000, 'a')
      const to = Array.from({ length: 50 }, (_, n) => `r${n}@x.test`)
      /** Reports on as many recipients, by a client or without one; each leads to an event. */
      const report = async (owner: typeof own, count: number, client?: string) => {
        const mails: NewInboundMail[] = []
        while (mails.length < count) {
          const value = email(owner, to)
          await store.accept(value, { token })
          await store.record(
            attempt(
              value,
              token,
              to.map((_, n) => result(n)),
            ),
          )
          const some = to.slice(0, count - mails.length).map((_, position) => ({
            mail: inboundMail({ emailId: value.id, raw }),
            reports: [bounce(value.id, position, 'r1')],
            ...(client !== undefined && { client }),
          }))
          for (const { outcome } of await store.keepInboundMails(some)) assert.equal(outcome, 'recorded')
          mails.push(...some.map(({ mail }) => mail))
        }
        return mails
      }
      const octets = async ({ id }: NewInboundMail) => (await store.readInboundMail(id))?.byteLength
      const [foreign] = await report(other, 1, '192.0.2.0/24')
      const [first] = await report(own, 1, '198.51.100.0/24')
      const flood = await report(own, WHOLE.ofClient + 3, '192.0.2.0/24')
      assert.deepEqual(await Promise.all(flood.slice(0, 4).map(octets)), [4_096, 4_096, 4_096, 5_000])
      assert.equal(await octets(flood.at(-1)!), 5_000)
      assert.equal(await octets(first!), 5_000, 'of another network')
      const more = await report(own, WHOLE.ofCompany)
      assert.deepEqual(await Promise.all([first!, flood.at(-1)!].map(octets)), [4_096, 4_096])
      assert.deepEqual(await Promise.all([more[0]!, foreign!].map(octets)), [5_000, 5_000])
    })

    test('that arrives again has the note of its last outcome', async (t) => {
      const { store } = await open(t)
      const first = inboundMail({ refused: 'not_counted', note: 'The report is not about a recent day.' })
      const again = { ...inboundMail({ refused: 'counted' }), digest: first.digest }
      for (const mail of [first, again]) await store.keepInboundMails([{ mail, reports: [] }])
      const [kept] = await store.inboundMails({ companyId: null, limit: 1 })
      assert.deepEqual([kept?.outcome, kept?.note, kept?.times], ['counted', null, 2])
    })

    test('that changed nothing of many emails of a company takes the places of this company alone', async (t) => {
      const { store } = await open(t)
      const [own, other] = [await acme(store), await acme(store, 'Other')]
      const { id: foreign } = await accept(store, email(other, ['b@x.test']))
      const kept = inboundMail({ refused: 'kept', emailId: foreign })
      await store.keepInboundMails([{ mail: kept, reports: [] }])
      const flood: NewInboundMail[] = []
      while (flood.length < KEPT_MAILS.ofCompany + KEPT_MAILS.ofEmail) {
        const { id: emailId } = await accept(store, email(own, ['a@x.test']))
        const some = Array.from({ length: KEPT_MAILS.ofEmail }, () =>
          inboundMail({ refused: 'kept', emailId }),
        )
        await store.keepInboundMails(some.map((mail) => ({ mail, reports: [] })))
        flood.push(...some)
      }
      const isKept = await Promise.all(
        flood.slice(0, KEPT_MAILS.ofEmail + 1).map(({ id }) => store.readInboundMail(id)),
      )
      assert.deepEqual([...new Set(isKept.slice(0, KEPT_MAILS.ofEmail))], [null])
      assert.notEqual(isKept.at(-1), null)
      assert.notEqual(await store.readInboundMail(kept.id), null)
    })
  })
}
