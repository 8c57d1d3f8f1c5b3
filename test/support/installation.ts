/** An installation of the service on a database of the engine that is tested (see engine.ts). */
import { Installation as AnyInstallation, type Settings } from '../../harness/service/installation.ts'
import { runShared } from './commands.ts'
import { type TestDatabase, testDatabase } from './engine.ts'

export class Installation extends AnyInstallation {
  #database: Promise<TestDatabase> | undefined

  constructor(settings: Settings) {
    super({ settings })
  }

  /** Creates the database at its first use. */
  protected override async database(): Promise<Settings> {
    this.#database ??= testDatabase(this.databasePath)
    const { url, secretKey } = await this.#database
    return {
      POSTROAD_DATABASE_URL: url,
      ...(secretKey && { POSTROAD_SECRET_KEY: secretKey.toString('hex') }),
    }
  }

  override async command<Output>(...args: string[]): Promise<Output> {
    const { code, stdout, stderr } = await this.run(...args, '--json')
    if (code !== 0) throw new Error(`postroad ${args.join(' ')}: exit code ${code}: ${stderr}`)
    return JSON.parse(stdout) as Output
  }

  /** Runs a command, however it ends, in the process that the commands of a test file share. */
  async run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = (await this.environment()) as Record<string, string>
    const { code, stdout, stderr } = await runShared({ args, folder: this.directory, env })
    return { code, stdout: stdout.toString(), stderr: stderr.toString() }
  }

  override async remove(): Promise<void> {
    await super.remove()
    const database = await this.#database
    database?.done()
  }
}
