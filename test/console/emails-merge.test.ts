/** Emails that come while a person looks at a list: in their place, once, and with no unseen gap. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type EmailListItem,
  type EmailsPage,
  withChanged,
  withHead,
} from '../../console/src/pages/emails/merge.ts'

const email = (id: string, lastEvent: EmailListItem['lastEvent'] = 'queued'): EmailListItem => ({
  ...{
    id,
    company: 'c',
    domain: 'd',
    from: 'f',
    to: 't',
    subject: 's',
    tags: [],
    tagCount: 0,
    createdAt: '',
    states: [],
  },
  ...{ scheduledAt: null, recipients: 1, lastEvent },
})
const page = (ids: string, next: string | null = null): EmailsPage => ({
  emails: [...ids].map((id) => email(id)),
  next,
  unfinished: null,
  cursor: 1,
  words: [],
  texts: null,
})
const ids = (pages: readonly EmailsPage[] | null) =>
  pages?.map(({ emails }) => emails.map(({ id }) => id).join('')) ?? null

describe('a list on the screen', () => {
  test('updates changed emails in place, and adds new emails above them', () => {
    const pages = [page('hgf', 'f'), page('edc', 'c')]
    const changed = withChanged(pages, [email('e', 'delivered'), email('i')], true)
    assert.deepEqual(ids(changed), ['ihgf', 'edc'])
    assert.equal(changed[1]!.emails[0]!.lastEvent, 'delivered')
    assert.equal(changed[1]!.emails[1], pages[1]!.emails[1], 'what did not change is the same')
  })

  test('inserts late emails in their order, and leaves unread ones to their page', () => {
    const pages = [page('hf', 'f'), page('ec', 'c')]
    assert.deepEqual(ids(withChanged(pages, [email('g'), email('d'), email('a')], true)), ['hgf', 'edc'])
    assert.deepEqual(ids(withChanged([page('hf'), page('ec')], [email('a')], true)), ['hf', 'eca'])
    assert.deepEqual(ids(withChanged([page('')], [email('a')], true)), ['a'])
  })

  test('that is narrowed takes in nothing by itself', () => {
    assert.deepEqual(ids(withChanged([page('hf')], [email('g'), email('i')], false)), ['hf'])
  })

  test('joins the newest page to the existing list', () => {
    const pages = [page('hgf', 'f'), page('edc', 'c')]
    assert.deepEqual(ids(withHead(pages, page('jihg', 'g'))), ['jihgf', 'edc'])
    // What fits the search no more is gone from where the newest reach.
    assert.deepEqual(ids(withHead(pages, page('jhd', 'd'))), ['jhd', 'c'])
    assert.equal(withHead(pages, page('kji', 'i')), null, 'what lies between them nobody knows')
    assert.equal(withHead(pages, page('kji')), null, 'these are all there are')
  })
})
