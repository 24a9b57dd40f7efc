/** The process around the MCP server: stdout is kept for the protocol alone, signals end it, and it exits with code 0. */
import { Writable } from 'node:stream'

import { startMcpServer, type McpServerOptions } from './server.ts'

/** Serves on this process's stdin and stdout until the client is gone or a signal comes. Then exit the process: whatever is still open is not waited for. */
export async function serveStdio(options: Omit<McpServerOptions, 'input' | 'output'>): Promise<void> {
  const server = startMcpServer({ ...options, input: process.stdin, output: claimStdout() })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.stop())
  // A stray failure of one call must not end the process, and with it the tabs and refs of all others.
  process.on('unhandledRejection', (reason) => options.log(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)))
  await server.done
}

/** Stdout for the protocol; from here on everything else that is written there, console.log for one, goes to stderr. */
function claimStdout(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  const output = new Writable({ decodeStrings: false, write: (chunk: string, _encoding, done) => void write(chunk, 'utf8', done) })
  stdout.on('error', (error) => output.destroy(error))
  // The host closed our stderr: there is nowhere left to say so.
  stderr.on('error', () => {})
  return output
}
