// What a press asks of the browser itself, which no change of the document tells: a form it does not submit, a file that a link saves.

const MAX_INVALID = 20
/** The events of fields that the browser found wrong, and of presses, since the watch began. What the page makes of an event is known later. */
let invalids = []
let clicks = []
let enterPressed = false

const onInvalid = (event) => {
  const { target: field } = event
  if (event.isTrusted && invalids.length < MAX_INVALID) invalids.push({ event, field })
}
const onClick = (event) => {
  const path = event.composedPath().filter((node) => node instanceof Element)
  const link = /** @type {HTMLAnchorElement | undefined} */ (path.find((element) => element.localName === 'a' || element.localName === 'area'))
  if (clicks.length < MAX_INVALID) clicks.push({ event, path, link })
}
const onKey = ({ key, isTrusted }) => {
  if (isTrusted && key === 'Enter') enterPressed = true
}
const onSubmit = () => {
  invalids = []
}

function watchPresses(options) {
  document.addEventListener('click', onClick, options)
  document.addEventListener('keydown', onKey, options)
  document.addEventListener('submit', onSubmit, options)
}

function forgetPresses() {
  invalids = []
  clicks = []
  enterPressed = false
}

/**
 * `{element, role, name, message}` of the field for which the browser did not submit its form, null where it did or nobody asked it to: scripts ask
 * too whether fields are right, and then nothing is focused. A field that cannot be shown stops the form without a word.
 */
function refusedField() {
  if (invalids.length === 0) return null
  const active = deepActiveElement()
  const wrong = invalids.filter(
    ({ event, field }) => !event.defaultPrevented && field.isConnected && field.form?.noValidate !== true && field.validity?.valid === false,
  )
  const isAsked = (field) => enterPressed || clicks.some(({ path }) => !path.includes(field))
  const field = (wrong.find((each) => each.field === active) ?? (wrong.every((each) => visibilityOf(each.field) !== 'shown') ? wrong[0] : undefined))
    ?.field
  if (!field || !isAsked(field)) return null
  return { element: numberOf(field), ...describeElement(field), message: withoutSecrets(squash(field.validationMessage)).slice(0, 200) }
}

/** The addresses of links that save a file, of this origin: Chrome says nothing of these before the response comes (Chromium 156). */
function wantedFiles() {
  const wanted = clicks.filter(
    ({ event, link }) => link?.hasAttribute('download') && !event.defaultPrevented && !(event.ctrlKey || event.metaKey || event.shiftKey),
  )
  return wanted.map(({ link }) => link.href).filter((href) => /^(?:blob|data):/.test(href) || URL.parse(href)?.origin === location.origin)
}
