/** Reads the files of a ready message, in a worker: an untrusted message may be large, and have thousands of parts. */
import { listRawFiles, type RawFile, readRawFile } from '../../mail/raw/files.ts'
import { buffersBeneath } from '../../workers/job.ts'

export interface FilesJobInput {
  raw: Uint8Array
  /** The position of the file to read; null for a list of all. */
  position: number | null
}

export interface FilesJobResult {
  files: RawFile[]
  octets: Uint8Array | null
}

export default function readFiles({ raw, position }: FilesJobInput): FilesJobResult {
  if (position === null) return { files: listRawFiles(raw), octets: null }
  return { files: [], octets: readRawFile(raw, position) }
}

export function buffersOf({ octets }: FilesJobResult): ArrayBuffer[] {
  return octets === null ? [] : buffersBeneath([octets])
}
