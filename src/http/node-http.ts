/**
 * `node:http` without its WebSocket client. `import` evaluates every export of a module of Node.js, and the lazy ones
 * of this module load a second HTTP client (5 MB of heap, 7 MB of code) that the service never uses.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
