// Served as /__seen.js: fixture pages tell the server what they experienced. A classic script, so that any page can include it.
// Works from another origin and from opaque ones too: the address of the server is the one this script came from.
{
  const server = new URL(document.currentScript.src).origin
  const builtIns = { beacon: navigator.sendBeacon.bind(navigator), fetch: window.fetch.bind(window), stringify: JSON.stringify }
  // The server puts the records of one document back into this order; requests may overtake each other.
  const doc = crypto.getRandomValues(new Uint32Array(2)).join('-')
  let seq = 0

  /** Records that something happened: kind, and any JSON. */
  window.seen = (kind, data = {}) => {
    const body = builtIns.stringify({ doc, seq: seq++, record: { kind, ...data, page: location.pathname } })
    if (!builtIns.beacon(`${server}/__seen`, body)) void builtIns.fetch(`${server}/__seen`, { method: 'POST', mode: 'no-cors', body })
  }

  const nameOf = (node) => (node === window ? 'window' : node === document ? 'document' : node.id || node.localName || node.nodeName)

  /** Records every event of these types at an element (or selector, or document, or window), in the capture phase. Values are recorded as lengths. */
  window.watch = (where, ...types) => {
    const element = typeof where === 'string' ? document.querySelector(where) : where
    for (const type of types) {
      element.addEventListener(
        type,
        (event) => {
          // Inside shadow roots too: the innermost element.
          const target = event.composedPath()[0] ?? event.target
          const modifiers = ['Alt', 'Control', 'Meta', 'Shift'].filter((name) => event[`${name === 'Control' ? 'ctrl' : name.toLowerCase()}Key`])
          const data = { trusted: event.isTrusted, target: nameOf(target), detail: typeof event.detail === 'number' ? event.detail : undefined }
          for (const key of ['button', 'buttons', 'clientX', 'clientY', 'deltaX', 'deltaY', 'key', 'code', 'inputType', 'pointerType', 'repeat'])
            if (key in event) data[key] = event[key]
          if (modifiers.length > 0) data.modifiers = modifiers
          if (typeof target.value === 'string') data.valueLength = target.value.length
          else if (target.isContentEditable) data.valueLength = target.textContent.length
          if (typeof target.checked === 'boolean') data.checked = target.checked
          if (event.dataTransfer) data.types = [...event.dataTransfer.types]
          window.seen(type, data)
        },
        { capture: true, passive: true },
      )
    }
  }
}
