// Runs in the page's own world around a script of the agent: awaits its value and turns it into JSON that is short enough to travel.
// Odd values are described, never refused. It builds a fresh tree and lets the debugger serialize that, so that a page's toJSON on
// Array.prototype and the like cannot break it; what the page did to other built-ins can at worst make it fail.
// Its text is put into the script that is sent to the page: one function, over 250 lines, because nothing outside of it travels along.
// oxlint-disable-next-line no-unused-vars
async function describeValue(run) {
  'use strict'
  /** What may travel: characters, UTF-8 bytes of JSON, levels. */
  let chars = 20_000
  let bytes = 44_000
  const MAX_DEPTH = 12
  let isCut = false
  /** The objects on the way to the one being described. */
  const ancestors = []

  const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1)
  const isError = (value) => value instanceof Error || (typeof value === 'object' && value !== null && tagOf(value) === 'Error')
  const errorText = (error) => {
    try {
      return isError(error) ? `${error.name}: ${error.message}` : String(error)
    } catch {
      return 'an error'
    }
  }
  const isFull = () => chars <= 0 || bytes <= 0
  const spend = (count) => {
    chars -= count
    bytes -= count
  }

  /** How much of a string fits; spends it. */
  const fitting = (string) => {
    const end = Math.min(string.length, Math.max(chars, 0))
    let i = 0
    for (; i < end && bytes > 0; i++) {
      const code = string.charCodeAt(i)
      if (code < 0x20) bytes -= 6
      else if (code === 0x22 || code === 0x5c) bytes -= 2
      else if (code < 0x80) bytes -= 1
      else bytes -= code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
    }
    const last = string.charCodeAt(i - 1)
    if (i < string.length && last >= 0xd800 && last < 0xdc00) i -= 1
    chars -= i + 2
    bytes -= 2
    return i
  }
  const text = (string) => {
    const shown = fitting(string)
    if (shown === string.length) return string
    isCut = true
    return `${string.slice(0, shown)}…[truncated ${shown} of ${string.length} chars]`
  }

  const squash = (string) => {
    const flat = string.slice(0, 2_000).replace(/\s+/g, ' ').trim()
    return flat.length > 60 ? `${flat.slice(0, 60)}…` : flat
  }
  /** A property of a DOM node as the browser has it, whatever a form's fields or the page put in its place. Throws for what is no node. */
  const native = (owner, name, value) => Object.getOwnPropertyDescriptor(owner.prototype, name).get.call(value)
  const isNode = (value) => {
    try {
      return native(Node, 'nodeType', value) > 0
    } catch {
      return false
    }
  }
  const describeNode = (node) => {
    const type = native(Node, 'nodeType', node)
    if (type === 9) return `#document ${native(Document, 'URL', node)}`
    const content = squash(native(Node, 'textContent', node) ?? '')
    if (type !== 1) return `${native(Node, 'nodeName', node)}${content ? ` ${JSON.stringify(content)}` : ''}`
    const id = Element.prototype.getAttribute.call(node, 'id')
    const name = squash(Element.prototype.getAttribute.call(node, 'aria-label') ?? '') || content
    return `<${native(Element, 'localName', node)}${id ? `#${id}` : ''}>${name ? ` ${JSON.stringify(name)}` : ''}`
  }
  const isWindow = (value) => {
    try {
      return value.window === value && value.self === value
    } catch {
      return false
    }
  }
  const describeWindow = (value) => {
    try {
      return `[Window ${value.location.href}]`
    } catch {
      return '[Window of another site]'
    }
  }
  const describeFunction = (value) => {
    const source = Function.prototype.toString.call(value)
    const name = Object.getOwnPropertyDescriptor(value, 'name')?.value
    return `[${source.startsWith('class') ? 'class' : 'function'}${typeof name === 'string' && name !== '' ? ` ${name}` : ''}]`
  }
  const isList = (value) =>
    Array.isArray(value) || (typeof value.length === 'number' && typeof value[Symbol.iterator] === 'function' && !ArrayBuffer.isView(value))

  /** What `read` gives, described; a getter that throws costs only itself. */
  const attempt = (read, depth) => {
    let value
    try {
      value = read()
    } catch (error) {
      return text(`[threw ${errorText(error)}]`)
    }
    return describe(value, depth)
  }
  const describeList = (length, at, depth) => {
    const list = []
    for (let i = 0; i < length; i++) {
      if (isFull()) {
        isCut = true
        list[i] = `…[truncated ${i} of ${length} items]`
        break
      }
      list[i] = attempt(() => at(i), depth + 1)
      spend(1)
    }
    return list
  }
  const describeKeys = (value, keys, depth) => {
    const object = Object.create(null)
    for (let i = 0; i < keys.length; i++) {
      if (isFull()) {
        isCut = true
        object['…'] = `[truncated ${i} of ${keys.length} keys]`
        break
      }
      const key = keys[i]
      let item
      try {
        item = value[key]
        // As in JSON.
        if (item === undefined) continue
      } catch (error) {
        object[text(key)] = text(`[threw ${errorText(error)}]`)
        continue
      }
      object[text(key)] = describe(item, depth + 1)
    }
    return object
  }
  const labelled = (label, list) => {
    const object = Object.create(null)
    object[label] = list
    return object
  }

  const describeObject = (value, depth) => {
    if (isWindow(value)) return text(describeWindow(value))
    if (isNode(value)) return text(describeNode(value))
    const tag = tagOf(value)
    if (isError(value)) return text(errorText(value))
    if (tag === 'Date') return text(Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value))
    if (tag === 'RegExp') return text(RegExp.prototype.toString.call(value))
    if (/^(?:Number|String|Boolean|BigInt|Symbol)$/.test(tag)) return describe(value.valueOf(), depth)
    if (depth > MAX_DEPTH) {
      isCut = true
      return text(`[${tag}, too deep]`)
    }
    if (tag === 'Map' || tag === 'Set') {
      const items = [...value]
      return labelled(
        `${tag}(${items.length})`,
        describeList(items.length, (i) => items[i], depth),
      )
    }
    if (ArrayBuffer.isView(value) && tag !== 'DataView')
      return labelled(
        `${tag}(${value.length})`,
        describeList(value.length, (i) => value[i], depth),
      )
    if (isList(value)) return describeList(value.length, (i) => value[i], depth)
    if (typeof value.toJSON === 'function') return describe(value.toJSON(), depth)
    const keys = Object.keys(value)
    if (keys.length > 0 || tag === 'Object') return describeKeys(value, keys, depth)
    // Objects of the browser have their properties on the prototype.
    const inherited = []
    for (const key in value) if (typeof value[key] !== 'function') inherited.push(key)
    if (inherited.length > 0) return describeKeys(value, inherited, depth)
    if (typeof value.entries === 'function') {
      const items = [...value.entries()]
      return labelled(
        tag,
        describeList(items.length, (i) => items[i], depth),
      )
    }
    return text(`[${tag}]`)
  }

  const describeOnce = (value, depth) => {
    if (ancestors.includes(value)) return text('[Circular]')
    ancestors.push(value)
    try {
      return describeObject(value, depth)
    } catch (error) {
      return text(`[threw ${errorText(error)}]`)
    } finally {
      ancestors.pop()
    }
  }

  const describe = (value, depth) => {
    if (value === null || value === undefined) {
      spend(4)
      return null
    }
    switch (typeof value) {
      case 'undefined':
        return null
      case 'object':
        return describeOnce(value, depth)
      case 'string':
        return text(value)
      case 'boolean':
        spend(5)
        return value
      case 'number':
        spend(String(value).length)
        if (Object.is(value, -0)) return '-0'
        return Number.isFinite(value) ? value : String(value)
      case 'bigint':
        return text(`${value}n`)
      case 'symbol':
        return text(String(value))
      case 'function':
        return text(describeFunction(value))
    }
  }

  const typeOf = (value) => {
    if (value === null) return 'null'
    if (typeof value !== 'object') return typeof value
    if (isWindow(value)) return 'window'
    if (isNode(value)) return 'node'
    try {
      return isError(value) ? 'error' : isList(value) ? 'array' : tagOf(value).toLowerCase()
    } catch {
      return 'object'
    }
  }

  let value
  try {
    value = await run()
  } catch (error) {
    if (isError(error)) throw error
    return { thrown: describe(error, 0) }
  }
  if (typeof value === 'string') {
    const shown = fitting(value)
    return { type: 'string', value: value.slice(0, shown), total: value.length, isCut: shown < value.length }
  }
  const described = describe(value, 0)
  return { type: typeOf(value), value: described, total: 0, isCut }
}
