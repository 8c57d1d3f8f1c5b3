/** An installation of the service on a database of the engine that is tested (see engine.ts). */
import { Installation as AnyInstallation, type Settings } from '../../harness/service/installation.ts'
import { type TestDatabase, testDatabase } from './engine.ts'

export class Installation extends AnyInstallation {
  #database: Promise<TestDatabase> | undefined

  constructor(settings: Settings) {
    super({ settings })
  }

  /** Makes the database when it is first asked for. */
  protected override async database(): Promise<Settings> {
    this.#database ??= testDatabase(this.databasePath)
    const { url, secretKey } = await this.#database
    return {
      POSTROAD_DATABASE_URL: url,
      ...(secretKey && { POSTROAD_SECRET_KEY: secretKey.toString('hex') }),
    }
  }

  override async remove(): Promise<void> {
    await super.remove()
    const database = await this.#database
    database?.done()
  }
}
