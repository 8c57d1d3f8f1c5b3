/**
 * Encodes arrays for PostgreSQL's binary protocol: a multi-row statement takes one array per column, through `unnest`.
 * As text, arrays would have to be quoted here and unquoted there, which costs more than the rest of a row.
 *
 * The format: dimensions, whether there are NULLs, the OID of the elements' type, length, lower bound; then each
 * element as its length (-1: NULL) and octets. (PostgreSQL source: src/backend/utils/adt/arrayfuncs.c, array_recv.)
 */
import type { ColumnType } from '../../email/fields.ts'
import type { MessageBody } from '../../mail/message.ts'
import { storable } from './rows.ts'

const BOOL = 16
const BYTEA = 17
const INT8 = 20
const INT4 = 23
const TEXT = 25
const UUID = 2950

const HEADER = 20
const ONE_DIMENSION = 1
const TWO_TO_32 = 0x1_0000_0000

type ArrayValues<T> = readonly (T | null)[]

function begin(octets: number, type: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + octets)
  buffer.writeInt32BE(ONE_DIMENSION, 0)
  buffer.writeInt32BE(1, 4)
  buffer.writeInt32BE(type, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16)
  return buffer
}

/** Values of at most 2^53; rounded. */
export function int8s(values: ArrayValues<number>): Buffer {
  const buffer = begin(values.length * 12, INT8, values.length)
  let at = HEADER
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    const whole = Math.round(value)
    at = buffer.writeInt32BE(8, at)
    at = buffer.writeInt32BE(Math.floor(whole / TWO_TO_32), at)
    at = buffer.writeUInt32BE(whole >>> 0, at)
  }
  return buffer.subarray(0, at)
}

export function int4s(values: ArrayValues<number>): Buffer {
  const buffer = begin(values.length * 8, INT4, values.length)
  let at = HEADER
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    at = buffer.writeInt32BE(4, at)
    at = buffer.writeInt32BE(value, at)
  }
  return buffer.subarray(0, at)
}

export function bools(values: readonly boolean[]): Buffer {
  const buffer = begin(values.length * 5, BOOL, values.length)
  let at = HEADER
  for (const value of values) {
    at = buffer.writeInt32BE(1, at)
    buffer[at++] = value ? 1 : 0
  }
  return buffer
}

/** Values in the form that `isEmailId` accepts. */
export function uuids(values: ArrayValues<string>): Buffer {
  const buffer = begin(values.length * 20, UUID, values.length)
  let at = HEADER
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 16, at)
    if (value !== null) at += buffer.write(value.replaceAll('-', ''), at, 'hex')
  }
  return buffer.subarray(0, at)
}

/** A lone surrogate becomes U+FFFD, as does NUL, which PostgreSQL cannot store in a text. */
export function texts(values: ArrayValues<string>): Buffer {
  const clean = values.some((value) => value?.includes('\0') === true)
    ? values.map((value) => (value === null ? null : storable(value)))
    : values
  return strings(clean, TEXT)
}

/** Texts as octets of UTF-8, which may hold NUL. */
export function encoded(values: ArrayValues<MessageBody>): Buffer {
  return strings(values, BYTEA)
}

function strings(values: ArrayValues<MessageBody>, type: number): Buffer {
  let octets = 0
  // A UTF-16 unit takes at most three octets of UTF-8: reserving that is cheaper than counting, except for long texts.
  for (const value of values) {
    octets += 4
    if (value !== null) octets += octetsFor(value)
  }
  const buffer = begin(octets, type, values.length)
  let at = HEADER
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    const written = typeof value === 'string' ? buffer.write(value, at + 4) : copied(value, buffer, at + 4)
    buffer.writeInt32BE(written, at)
    at += 4 + written
  }
  return buffer.subarray(0, at)
}

function octetsFor(value: MessageBody): number {
  if (typeof value !== 'string') return value.byteLength
  return value.length > LARGE ? Buffer.byteLength(value) : value.length * 3
}

function copied(value: Uint8Array, buffer: Buffer, at: number): number {
  buffer.set(value, at)
  return value.byteLength
}

/** Number of UTF-16 units from which a text is measured before room is reserved. */
const LARGE = 1_024

export function byteas(values: ArrayValues<Uint8Array>): Buffer {
  let octets = 0
  for (const value of values) octets += 4 + (value === null ? 0 : value.byteLength)
  const buffer = begin(octets, BYTEA, values.length)
  let at = HEADER
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : value.byteLength, at)
    if (value === null) continue
    buffer.set(value, at)
    at += value.byteLength
  }
  return buffer
}

/** The name of each column type, and its encoder. */
export const TYPES: Record<ColumnType, { name: string; array: (values: never[]) => Buffer }> = {
  int4: { name: 'int4', array: int4s },
  int8: { name: 'int8', array: int8s },
  bool: { name: 'bool', array: bools },
  text: { name: 'text', array: texts },
  uuid: { name: 'uuid', array: uuids },
  bytea: { name: 'bytea', array: byteas },
  octets: { name: 'bytea', array: encoded },
}
