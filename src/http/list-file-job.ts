/** Reads a piece of a list of addresses, in a worker. */
export { readCsvPiece as default } from '../operate/suppression-csv.ts'
