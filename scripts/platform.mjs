// What package-lock.json holds for this machine, and the Node.js that runs the program. Plain JavaScript that Node.js 18 can run.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Packages by path, as a lock file has them; null when there is none. */
export function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return null
  }
}

/** Whether npm installs an optional package here: by the operating system, processor and C library it says it is for. */
export function isForThisMachine({ os, cpu, libc }) {
  return names(os, process.platform) && names(cpu, process.arch) && (!libc || names(libc, cLibrary()))
}

function names(list, own) {
  if (list === undefined) return false
  const all = [list].flat()
  return all.includes(own) || (all.every((each) => each.startsWith('!')) && !all.includes(`!${own}`))
}

let library
function cLibrary() {
  if (library === undefined) {
    const report = process.platform === 'linux' ? process.report.getReport() : null
    library = report === null || report.header.glibcVersionRuntime ? 'glibc' : 'musl'
  }
  return library
}

/**
 * The Node.js that the dependencies bring: a package for each platform, whose hash stands in the lock file and which npm unpacks without
 * running anything. Where there is none (another platform; musl, for which these are not built) it is the one that runs this.
 */
export const carried = Object.values(packagesIn(join(root, 'package-lock.json')) ?? {}).some((each) => {
  return each.bin?.node && isForThisMachine({ ...each, libc: 'glibc' })
})
export const node = carried ? join(root, 'node_modules', '.bin', 'node') : process.execPath

/** A sentence when `node` is not carried and too old for the program; null when it will do. */
export function tooOld() {
  const { node: range } = packagesIn(join(root, 'package-lock.json'))?.['']?.engines ?? {}
  const oldest = range?.match(/\d+(\.\d+)*/)?.[0]
  if (carried || oldest === undefined) return null
  const [needed, own] = [oldest, process.versions.node].map((version) => version.split('.').map(Number))
  const first = needed.findIndex((part, index) => part !== own[index])
  if (first < 0 || own[first] > needed[first]) return null
  return (
    `Node.js ${oldest} or later is needed, and this is ${process.versions.node}. No package of Node.js is known for this machine ` +
    `(${process.platform} ${process.arch}${process.platform === 'linux' ? `, ${cLibrary()}` : ''}): install it from https://nodejs.org/.`
  )
}
