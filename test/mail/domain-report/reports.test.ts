import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { readDmarcReport } from '../../../src/mail/domain-report/dmarc-report.ts'
import { reportOfMail } from '../../../src/mail/domain-report/report-mail.ts'
import { readTlsReport, tlsReportJson } from '../../../src/mail/domain-report/tls-report.ts'
import { MAX_UNPACKED, unpackReport } from '../../../src/mail/domain-report/unpack.ts'
import { BEGIN, dmarcXml, END, mailWith, recordXml, TLS_REPORT } from './samples.ts'

const RECORDS = [
  { source: '192.0.2.1', count: 7 },
  { source: '2001:db8::1', count: 2, dkim: 'fail', spf: 'fail', disposition: 'quarantine' },
]

/** A ZIP archive by its specification (APPNOTE 4.3). `size`: what it claims about its files. */
function zipOf(files: { name: string; content: Buffer; size?: number }[]): Buffer {
  const bodies: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const { name, content, size = content.length } of files) {
    const packed = deflateRawSync(content)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(size, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), facts, rest, Buffer.from(name)]))
    bodies.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, directory, end])
}

describe('DMARC aggregate reports', () => {
  test('domains in Unicode are read as A-labels', () => {
    const headerFrom = 'News.München.example'
    const report = readDmarcReport(
      dmarcXml([{ source: '192.0.2.1', count: 1, headerFrom }], { domain: 'MÜNCHEN.example.' }),
    )
    assert.equal(report.domain, 'xn--mnchen-3ya.example')
    assert.equal(report.records[0]!.headerFrom, 'news.xn--mnchen-3ya.example')
  })

  test('sources and results are read', () => {
    const report = readDmarcReport(dmarcXml(RECORDS))
    assert.deepEqual(report, {
      reporter: 'receiver.test',
      reportId: 'r1',
      begin: BEGIN,
      end: END,
      domain: 'x.test',
      policy: 'none',
      records: [
        {
          source: '192.0.2.1',
          messages: 7,
          disposition: 'none',
          dkim: true,
          spf: true,
          headerFrom: 'x.test',
          dkimDomain: 'x.test',
          spfDomain: 'bounces.x.test',
        },
        {
          source: '2001:db8::1',
          messages: 2,
          disposition: 'quarantine',
          dkim: false,
          spf: false,
          headerFrom: 'x.test',
          dkimDomain: 'x.test',
          spfDomain: 'bounces.x.test',
        },
      ],
    })
  })

  test('any namespace and prefix will do, and RFC 9990 says `pass` for a policy that did not apply', () => {
    const plain = readDmarcReport(dmarcXml(RECORDS))
    const root = 'feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0"'
    assert.deepEqual(readDmarcReport(dmarcXml(RECORDS, { root })), plain)
    const prefixed = dmarcXml(RECORDS).replace(/<(\/?)(?=[a-z])/g, '<$1ns0:')
    assert.deepEqual(readDmarcReport(prefixed), plain)
    const passed = readDmarcReport(dmarcXml([{ source: '192.0.2.1', count: 1, disposition: 'pass' }]))
    assert.equal(passed.records[0]?.disposition, 'none')
  })

  test('records without a source, a count or a domain are left out', () => {
    const odd = [
      { source: 'localhost', count: 1 },
      { source: '192.0.2.1', count: '-1' },
      { source: '192.0.2.1', count: 1, headerFrom: '&lt;script&gt;' },
    ]
    assert.deepEqual(readDmarcReport(dmarcXml(odd)).records, [])
  })

  test('the zone of a source is left out', () => {
    const { records } = readDmarcReport(dmarcXml([{ source: `fe80::1%${'a'.repeat(10_000)}`, count: 1 }]))
    assert.deepEqual(
      records.map(({ source }) => source),
      ['fe80::1'],
    )
  })

  test('entities are not expanded: a document type is refused', () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>${dmarcXml(RECORDS)}`
    assert.throws(() => readDmarcReport(bomb), /document type/)
    const named = dmarcXml(RECORDS).replace('receiver.test', '&b;')
    assert.equal(readDmarcReport(named).reporter, '&b;')
  })

  test('elements that mean nothing take no memory, however long their paths are', () => {
    const names = Array.from({ length: 17 }, (_, index) => String.fromCharCode(97 + index).repeat(1_000))
    const leaves = Array.from({ length: 200_000 }, (_, index) => `<x${index}>1</x${index}>`).join('')
    const deep = names.reduceRight((inner, name) => `<${name}>${inner}</${name}>`, leaves)
    const xml = dmarcXml(RECORDS).replace('</record>', `${deep}</record>`)
    assert.deepEqual(readDmarcReport(xml), readDmarcReport(dmarcXml(RECORDS)))
  })

  test('a file that is not a report is refused, and so are deep elements and too many records', () => {
    assert.throws(() => readDmarcReport('<html><body>hello</body></html>'), /no DMARC aggregate report/)
    assert.throws(() => readDmarcReport(dmarcXml([]).slice(0, -20)), /ends too early/)
    assert.throws(() => readDmarcReport('<a>'.repeat(500_000)), /too deep/)
    assert.throws(() => readDmarcReport(dmarcXml([], { end: BEGIN - 1_000 })), /ends before/)
    const record = recordXml({ source: '192.0.2.1', count: 1 })
    const many = dmarcXml([]).replace('</feedback>', `${record.repeat(10_001)}</feedback>`)
    assert.throws(() => readDmarcReport(many), /more than 10000 records/)
  })
})

describe('TLS reports', () => {
  test('a report that was written is read again', () => {
    assert.deepEqual(readTlsReport(tlsReportJson(TLS_REPORT)), TLS_REPORT)
  })

  test('a domain in Unicode is read as A-labels', () => {
    const policies = [{ ...TLS_REPORT.policies[0]!, domain: 'München.example.' }]
    const { domain } = readTlsReport(tlsReportJson({ ...TLS_REPORT, policies })).policies[0]!
    assert.equal(domain, 'xn--mnchen-3ya.example')
  })

  test('a file that is not a report is refused', () => {
    assert.throws(() => readTlsReport('{"a":'), /not valid JSON/)
    assert.throws(() => readTlsReport('[]'), /no TLS report/)
    assert.throws(() => readTlsReport(`[${'[],'.repeat(160_000)}[]]`), /more than 300000 values/)
    const many = { ...TLS_REPORT, policies: Array(101).fill(TLS_REPORT.policies[0]) }
    assert.throws(() => readTlsReport(tlsReportJson(many)), /more than 100 policies/)
  })
})

describe('packed reports', () => {
  const text = Buffer.from(dmarcXml(RECORDS))

  test('gzip, ZIP and plain text are recognized by their first octets', async () => {
    const packings = [text, gzipSync(text), zipOf([{ name: 'x.xml', content: text }])]
    for (const packed of packings) assert.deepEqual(await unpackReport(packed), text)
  })

  test('a file that unpacks to more than 10 MiB is refused', async () => {
    const zeros = Buffer.alloc(MAX_UNPACKED + 1)
    await assert.rejects(unpackReport(gzipSync(zeros)), /more than 10 MiB/)
    await assert.rejects(unpackReport(zipOf([{ name: 'x.xml', content: zeros }])), /more than 10 MiB/)
    const liar = zipOf([{ name: 'x.xml', content: Buffer.alloc(MAX_UNPACKED * 3), size: 1_000 }])
    await assert.rejects(unpackReport(liar), /damaged|more than 10 MiB/)
    await assert.rejects(unpackReport(zeros), /more than 10 MiB/)
  })

  test('damaged files and archives of several files are refused', async () => {
    await assert.rejects(unpackReport(gzipSync(text).subarray(0, 40)), /damaged/)
    const file = { name: 'x.xml', content: text }
    await assert.rejects(unpackReport(zipOf([file, file])), /exactly one file/)
    await assert.rejects(unpackReport(zipOf([])), /exactly one file/)
    await assert.rejects(unpackReport(zipOf([file]).subarray(0, -30)), /damaged/)
  })

  test('the report of a mail is its part of the right type', () => {
    const packed = gzipSync(text)
    for (const [type, name] of [
      ['application/gzip', 'receiver.test!x.test!1!2.xml.gz'],
      ['application/octet-stream', 'receiver.test!x.test!1!2.zip'],
      ['text/xml', 'report'],
    ] as const) {
      assert.deepEqual(reportOfMail(mailWith(packed, type, name)), { kind: 'dmarc', octets: packed })
    }
    for (const type of ['application/tlsrpt+gzip', 'application/gzip']) {
      const mail = mailWith(packed, type, 'receiver.test!x.test!1!2.json.gz')
      assert.deepEqual(reportOfMail(mail), { kind: 'tls', octets: packed })
    }
    assert.equal(reportOfMail(mailWith(packed, 'image/png', 'a.png')), null)
    assert.equal(reportOfMail(Buffer.from('\0\0\0')), null)
  })
})
