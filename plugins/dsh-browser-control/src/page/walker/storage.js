// Local and session storage of the frame's origin.

/** What one answer may hold, in characters and in UTF-8 bytes of JSON; a value among others gets less. */
const STORAGE_CHARS = 20_000
const STORAGE_BYTES = 42_000
const STORAGE_VALUE_CHARS = 4_000

/** `{entries: [[key, value, characters of the whole value]], more}`, or `{denied}` with the browser's words where the document has no storage. */
function storageGet(kind, key) {
  const storage = storageOf(kind)
  if (storage.denied !== undefined) return storage
  const keys = key === null ? allKeys(storage.area) : storage.area.getItem(key) === null ? [] : [key]
  const left = { chars: STORAGE_CHARS, bytes: STORAGE_BYTES }
  const entries = []
  for (const each of keys) {
    const value = storage.area.getItem(each) ?? ''
    const shownKey = key === null ? fitting(each, left, 500) : each
    const shown = fitting(value, left, key === null ? STORAGE_VALUE_CHARS : STORAGE_CHARS)
    left.bytes -= 30
    // The first is shown whatever its size.
    if (entries.length > 0 && (left.chars <= 0 || left.bytes <= 0)) break
    entries.push([shownKey.length < each.length ? `${shownKey}…` : shownKey, shown, value.length])
  }
  return { entries, more: keys.length - entries.length }
}

/** Sorted. By number: Object.keys leaves out entries that are called like a method. */
function allKeys(area) {
  const keys = []
  for (let i = 0; i < area.length; i++) keys.push(area.key(i))
  return keys.sort((a, b) => (a < b ? -1 : 1))
}

/** `{}` when the value is there afterwards, `{denied}`, or `{full}` with the browser's words. */
function storageSet(kind, key, value) {
  const storage = storageOf(kind)
  if (storage.denied !== undefined) return storage
  try {
    storage.area.setItem(key, value)
  } catch (error) {
    return { full: String(error.message) }
  }
  return storage.area.getItem(key) === value ? {} : { full: 'it was not kept' }
}

/** `{removed}`, or `{denied}`. */
function storageRemove(kind, key) {
  const storage = storageOf(kind)
  if (storage.denied !== undefined) return storage
  const removed = storage.area.getItem(key) !== null
  storage.area.removeItem(key)
  return { removed }
}

function storageOf(kind) {
  try {
    const area = kind === 'local' ? localStorage : sessionStorage
    return area ? { area } : { denied: 'it is switched off' }
  } catch (error) {
    return { denied: String(error.message) }
  }
}

/** The beginning of `text` that fits into what is left and into `limit` characters; spends it. */
function fitting(text, left, limit) {
  const end = Math.min(text.length, limit, Math.max(left.chars, 0))
  let i = 0
  for (; i < end && left.bytes > 0; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20) left.bytes -= 6
    else if (code === 0x22 || code === 0x5c) left.bytes -= 2
    else if (code < 0x80) left.bytes -= 1
    else left.bytes -= code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  if (i < text.length && /[\uD800-\uDBFF]/.test(text[i - 1] ?? '')) i -= 1
  left.chars -= i
  return text.slice(0, i)
}
