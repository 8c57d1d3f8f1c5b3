import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInOrganization, organizationOf } from '../../src/dns/organization.ts'

test('the organization of a name is the domain that was registered', () => {
  for (const [name, organization] of [
    ['a.b.shop.co.uk', 'shop.co.uk'],
    ['bounces.club.asso.fr', 'club.asso.fr'],
    ['www.school.k12.ca.us', 'school.k12.ca.us'],
    ['mail.someone.github.io', 'someone.github.io'],
    ['github.io', 'github.io'],
    ['bounces.acme.example', 'acme.example'],
    ['localhost', 'localhost'],
  ] as const) {
    assert.equal(organizationOf(name), organization)
  }
})

test('a host belongs to the owner of a domain at or above it, and to the organization of the domain', () => {
  for (const [host, domain, expected] of [
    ['bounces.acme.example', 'mail.acme.example', true],
    ['acme.example', 'mail.acme.example', true],
    ['a.shop.co.uk', 'b.shop.co.uk', true],
    ['bounces.github.io', 'github.io', true],
    ['github.io', 'someone.github.io', false],
    ['a.co.uk', 'b.co.uk', false],
    ['bounces.victim.asso.fr', 'evil.asso.fr', false],
    ['one.github.io', 'two.github.io', false],
    ['a.k12.ca.us', 'b.k12.ca.us', false],
    ['a.example', 'b.example', false],
    ['notacme.example', 'acme.example', false],
  ] as const) {
    assert.equal(isInOrganization(host, domain), expected, `${host} of ${domain}`)
  }
})
