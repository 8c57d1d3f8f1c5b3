/** Reads a report in a worker. */
export { readDomainReport as default } from './read-report.ts'
