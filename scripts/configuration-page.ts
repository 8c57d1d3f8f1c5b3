/** Writes docs/configuration.md from the table of settings; with --check only says whether it is up to date. */
import { configurationPage } from '../src/config/page.ts'
import { keepMade } from './made-files.ts'

keepMade('scripts/configuration-page.ts', { 'docs/configuration.md': configurationPage() })
