/** A download as a field of results and as words. */
import type { Download, ToldDownload } from '../page/downloads.ts'
import { quote, visible } from '../page/snapshot-text.ts'
import type { Schema, Value } from './schema.ts'
import { oneLine } from './truncate.ts'

const fields = {
  name: { type: 'string' },
  state: { type: 'string', enum: ['in_progress', 'completed', 'canceled'] },
  /** Received so far, and of how many, where the server says it. */
  bytes: { type: 'integer' },
  total_bytes: { type: 'integer', optional: true },
  path: { type: 'string', optional: true },
  problem: { type: 'string', optional: true },
  earlier: { type: 'boolean', optional: true },
} as const

export const DOWNLOAD = { type: 'object', fields } as const satisfies Schema

export type DownloadValue = Value<typeof fields>

export const downloadValue = ({ name, state, bytes, totalBytes, path, problem, isEarlier }: ToldDownload): DownloadValue => ({
  name,
  state,
  bytes,
  ...(totalBytes !== undefined && { total_bytes: totalBytes }),
  ...(path !== undefined && { path }),
  ...(problem !== undefined && { problem }),
  ...(isEarlier && { earlier: true }),
})

/** `"name" (N of M bytes so far)`. */
export const downloadProgress = ({ fileName, receivedBytes, totalBytes }: Pick<Download, 'fileName' | 'receivedBytes' | 'totalBytes'>): string =>
  `${quote(oneLine(fileName, 200))} (${receivedBytes}${totalBytes > 0 ? ` of ${totalBytes}` : ''} bytes so far)`

/** One sentence, two where something is odd. */
export function downloadText({ name, state, bytes, total_bytes: total, path, problem, earlier = false }: DownloadValue): string {
  const what = quote(oneLine(name, 200))
  if (state === 'completed') {
    const odd = problem === undefined ? '' : ` It could not be moved to \`downloadDir\` (\`--download-dir\`): ${visible(oneLine(problem, 200))}.`
    const where = path === undefined ? '' : `: ${quote(path)}`
    return `${earlier ? `The download of ${what} from before is complete` : `It downloaded ${what}`} (${bytes} bytes)${where}.${odd}`
  }
  if (state === 'in_progress')
    return `${earlier ? 'Meanwhile began' : 'It started'} the download of ${downloadProgress({ fileName: name, receivedBytes: bytes, totalBytes: total ?? 0 })}.`
  return `${earlier ? `The download of ${what} from before` : `It started the download of ${what}, which`} was cancelled. A browser that asks where to save each file cancels it when nobody answers; or the connection broke.`
}
