/** The fence of results, told from the texts alone: this shares no code with src/tools/fence.ts. */

/** A result's text without the one block around what may be of a page; texts of ours alone have none and stay as they are. */
export function unfenced(text: string): string {
  const found = /^(?<before>[\s\S]*?)<page-(?<nonce>[a-z]{8})>(?<gap>\n?)(?<inner>[\s\S]*?)\k<gap><\/page-\k<nonce>>(?<after>[\s\S]*)$/.exec(text)
  if (!found?.groups) return text
  const { before = '', inner = '', after = '' } = found.groups
  return `${before}${inner}${after}`
}
