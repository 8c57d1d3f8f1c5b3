/** Installs the compared systems from their packages, only on request. Their services are neither started nor left enabled. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** While this policy file exits with 101, Debian's packages start no services (invoke-rc.d(8)). */
const START_POLICY = '/usr/sbin/policy-rc.d'

/** Ages in days of the package versions to try, in turn, if the newest ones depend on versions that the registry does not have. */
const DAYS_BACK = [30, 60, 90]
const DAY = 86_400_000

function have(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

export function postfixIsThere(): boolean {
  return have('postfix') && have('opendkim')
}

export function installPostfix(): void {
  if (postfixIsThere()) return
  if (!have('apt-get') || process.getuid?.() !== 0) {
    throw new Error(
      'Postfix and opendkim are installed by apt-get as root only; install them yourself or leave them out',
    )
  }
  const run = (file: string, args: string[], input = '') =>
    execFileSync(file, args, {
      input,
      stdio: ['pipe', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const ownPolicy = !existsSync(START_POLICY)
  if (ownPolicy) {
    writeFileSync(START_POLICY, '#!/bin/sh\nexit 101\n')
    chmodSync(START_POLICY, 0o755)
  }
  try {
    run('apt-get', ['update', '-q'])
    run('debconf-set-selections', [], 'postfix postfix/main_mailer_type select No configuration\n')
    run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'postfix', 'opendkim'])
  } finally {
    if (ownPolicy) rmSync(START_POLICY)
  }
  for (const service of ['postfix', 'opendkim']) {
    if (have('systemctl')) spawnSync('systemctl', ['disable', '--now', service])
  }
}

export function harakaIsThere(packages: string): boolean {
  return existsSync(join(packages, 'node_modules', 'Haraka', 'bin', 'haraka'))
}

export function installHaraka(packages: string): void {
  if (harakaIsThere(packages)) return
  mkdirSync(packages, { recursive: true })
  writeFileSync(join(packages, 'package.json'), '{ "private": true }\n')
  const install = (...more: string[]) =>
    spawnSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...more, 'Haraka@3', 'haraka-plugin-dkim@1'],
      { cwd: packages, stdio: ['ignore', 2, 2] },
    ).status === 0
  const before = (days: number) => `--before=${new Date(Date.now() - days * DAY).toISOString().slice(0, 10)}`
  if (!install() && !DAYS_BACK.some((days) => install(before(days))))
    throw new Error('npm could not install Haraka; its own words stand above')
}
