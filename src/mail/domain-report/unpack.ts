/**
 * The octets of a report as they are sent: in gzip, in a ZIP archive of one file, or plain. The first octets decide,
 * because reporters mix up names and media types.
 */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fromBuffer, type ZipFile } from 'yauzl'
import { DomainReportError } from './report-error.ts'

/** The most octets of a report. */
export const MAX_UNPACKED = 10 * 1024 * 1024

const TOO_LARGE = `The report has more than ${MAX_UNPACKED / 1024 ** 2} MiB.`
const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)

/** Rejects with a DomainReportError. */
export async function unpackReport(octets: Uint8Array): Promise<Buffer> {
  if (octets[0] === 0x1f && octets[1] === 0x8b) return await unzipped(octets)
  if (octets[0] === 0x50 && octets[1] === 0x4b) return await onlyFile(octets)
  if (octets.length > MAX_UNPACKED) throw new DomainReportError(TOO_LARGE)
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
}

async function unzipped(octets: Uint8Array): Promise<Buffer> {
  try {
    return await inflate(octets, { maxOutputLength: MAX_UNPACKED })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DomainReportError(code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : 'The gzip file is damaged.')
  }
}

/** An archive is refused as soon as it has a second file, and its file as soon as it is too large. */
async function onlyFile(octets: Uint8Array): Promise<Buffer> {
  try {
    const archive = await openArchive(Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength))
    if (archive.entryCount !== 1) throw new DomainReportError('The ZIP archive has not exactly one file.')
    return await readAll(await openFile(archive))
  } catch (error) {
    if (error instanceof DomainReportError) throw error
    throw new DomainReportError('The ZIP archive is damaged.')
  }
}

function openArchive(octets: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(octets, { lazyEntries: true }, (error, archive) => (error ? reject(error) : resolve(archive)))
  })
}

function openFile(archive: ZipFile): Promise<Readable> {
  return new Promise((resolve, reject) => {
    archive.on('error', reject)
    archive.on('end', () => reject(new DomainReportError('The ZIP archive is empty.')))
    archive.on('entry', (entry) => {
      if (entry.uncompressedSize > MAX_UNPACKED) return reject(new DomainReportError(TOO_LARGE))
      archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
    })
    archive.readEntry()
  })
}

async function readAll(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MAX_UNPACKED) throw new DomainReportError(TOO_LARGE)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
