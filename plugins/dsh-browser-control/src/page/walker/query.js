// Finding elements: by selector through open shadow roots, and what an element is called in a message.

/** All but the common elements that attachShadow() refuses: Chrome leaves them out much faster than a script. */
const MAY_HOST =
  ':not(a,b,br,button,circle,dd,dl,dt,em,form,g,i,img,input,label,li,link,meta,ol,option,path,rect,script,select,small,strong,style,svg,table,tbody,td,textarea,th,thead,tr,u,ul,use)'

/** Shadow roots below a document or root, at any depth: open ones, and closed ones that were handed over. */
function* rootsBelow(root) {
  for (const element of root.querySelectorAll(MAY_HOST)) {
    const inner = shadowOf(element)
    if (!inner) continue
    yield inner
    yield* rootsBelow(inner)
  }
}

/** All elements that match, those in shadow roots after those of their document. Throws what querySelectorAll throws. */
function findAll(selector) {
  const found = [...document.querySelectorAll(selector)]
  for (const root of rootsBelow(document)) found.push(...root.querySelectorAll(selector))
  return found
}

/** `{count, first: [{element, role, name}]}` of what matches, the first three described; `{invalid}` for a selector that is none. */
function query(selector) {
  let found
  try {
    found = findAll(selector)
  } catch (error) {
    return { invalid: String(error.message ?? error) }
  }
  return { count: found.length, first: found.slice(0, 3).map((element) => ({ element: numberOf(element), ...describeElement(element) })) }
}

/** Element → the role a snapshot gave it, where roleOf() says otherwise: a body that is edited is a text field, a part that scrolls a group only by that. */
const rolesGiven = new WeakMap()

function rememberRole(element, role) {
  if (roleOf(element) === role) rolesGiven.delete(element)
  else rolesGiven.set(element, role)
}

/** Role and name as a snapshot shows them; the tag where there is no role. */
function describeElement(element) {
  const role = roleOf(element) || (rolesGiven.get(element) ?? '')
  return { role: role || `<${element.localName}>`, name: nameOf(element, role) || (role ? '' : firstWords(element)) }
}

/** Role and name of an element now, or null when it is gone. */
function describe(number) {
  const element = elementOf(number)
  return element && describeElement(element)
}
