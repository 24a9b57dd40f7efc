#!/usr/bin/env node
/** The command line: `mcp` serves the tools over stdio, `doctor` says whether they would work. Wires, decides nothing; loads only what the command needs. */
import { readFileSync } from 'node:fs'

import type { Config } from './config.ts'
import { errorText, explain, isBrowserError } from './errors.ts'

const COMMANDS = `dsh-browser-control: an AI agent uses your own Chrome.

  dsh-browser-control mcp [flags]      serve the browser_* tools to an MCP client over stdin and stdout
  dsh-browser-control doctor [flags]   say whether a tool call would work here, and what to do if not
  dsh-browser-control --version
`

const log = (line: string) => void process.stderr.write(`${line}\n`)

/** Does not return: what a call left open must not keep the process. */
async function mcp(config: Config): Promise<never> {
  const [{ serveStdio }, { tools }, { PagePool }] = await Promise.all([
    import('./hosts/mcp/stdio.ts'),
    import('./tools/index.ts'),
    import('./browser/page-pool.ts'),
  ])
  const pages = new PagePool(config)
  await serveStdio({
    tools,
    contextFor: (callerId, signal) => ({ pages, caller: pages.caller(callerId), config, signal }),
    close: () => pages.close(),
    log,
    version: version(),
  })
  process.exit(0)
}

async function doctor(config: Config): Promise<number> {
  const { doctor: examine } = await import('./hosts/doctor.ts')
  return examine(config, (text) => void process.stdout.write(text))
}

/** The exit code: 2 for a wrong command line, else the command's own. */
async function main([command, ...flags]: readonly string[]): Promise<number> {
  const { configFromFlags, settingsHelp } = await import('./config.ts')
  const help = () => `${COMMANDS}\nFlags, each also an environment variable:\n\n${settingsHelp()}\n`
  if ([command, ...flags].some((word) => word === '--help' || word === '-h')) return say(process.stdout, help(), 0)
  if (command === '--version') return say(process.stdout, `${version()}\n`, 0)
  if (command === undefined) return say(process.stderr, help(), 2)
  const run = new Map<string, (config: Config) => Promise<number>>([
    ['mcp', mcp],
    ['doctor', doctor],
  ]).get(command)
  if (!run) return say(process.stderr, `Unknown command ${JSON.stringify(command)}; there are mcp and doctor (see --help).\n`, 2)
  let config: Config
  try {
    config = configFromFlags(flags)
  } catch (error) {
    return say(process.stderr, `${isBrowserError(error) ? explain(error) : errorText(error)}\n`, 2)
  }
  return run(config)
}

function say(stream: NodeJS.WriteStream, text: string, exitCode: number): number {
  stream.write(text)
  return exitCode
}

const version = (): string => (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

process.exitCode = await main(process.argv.slice(2))
