/** The official MCP clients, each in the ways a host uses them, over a server started as a process. */
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'

export interface CallAnswer {
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly data?: string; readonly mimeType?: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
}
export interface OfficialClient {
  /** What the client took the server for. */
  readonly protocolVersion: string | undefined
  readonly instructions: string | undefined
  readonly serverName: string | undefined
  listTools(): Promise<readonly { readonly name: string; readonly annotations?: { readonly readOnlyHint?: boolean } }[]>
  callTool(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<CallAnswer>
  close(): Promise<void>
}

const identity = { name: 'test', version: '0' }

/** By way of connecting; each starts `node …args` with `env` added, and lists the tools so that it checks results against their schemas. */
export const officialClients: Readonly<Record<string, (args: readonly string[], env?: Record<string, string>) => Promise<OfficialClient>>> = {
  'the 1.x client': async (args, env = {}) => {
    const transport = new StdioV1({
      command: process.execPath,
      args: [...args],
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: 'ignore',
    })
    let protocolVersion: string | undefined
    const client = new ClientV1(identity)
    // The 1.x client tells the version only to its transport.
    const withVersion = Object.assign(transport, { setProtocolVersion: (version: string) => void (protocolVersion = version) })
    await client.connect(withVersion as unknown as Parameters<ClientV1['connect']>[0])
    return {
      protocolVersion,
      instructions: client.getInstructions(),
      serverName: client.getServerVersion()?.name,
      listTools: async () => (await client.listTools()).tools as never,
      callTool: async (name, args_ = {}, signal) =>
        (await client.callTool({ name, arguments: args_ }, undefined, signal && { signal })) as CallAnswer,
      close: () => client.close(),
    }
  },
  'the 2.x client, legacy': (args, env) => connectV2('legacy', args, env),
  'the 2.x client, auto': (args, env) => connectV2('auto', args, env),
  'the 2.x client, pinned': (args, env) => connectV2({ pin: '2026-07-28' }, args, env),
}

async function connectV2(
  mode: 'legacy' | 'auto' | { pin: string },
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<OfficialClient> {
  const client = new ClientV2(identity, { versionNegotiation: { mode } })
  await client.connect(
    new StdioV2({ command: process.execPath, args: [...args], env: { ...(process.env as Record<string, string>), ...env }, stderr: 'ignore' }),
  )
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    serverName: client.getServerVersion()?.name,
    listTools: async () => (await client.listTools()).tools as never,
    callTool: async (name, args_ = {}, signal) => (await client.callTool({ name, arguments: args_ }, signal && { signal })) as CallAnswer,
    close: () => client.close(),
  }
}
