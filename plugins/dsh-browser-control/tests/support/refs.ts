/** Finding a ref in a snapshot as an agent would: by role and name. */
export function refOf(snapshot: string, role: string, name: string): string {
  const line = snapshot.split('\n').find((each) => each.trimStart().startsWith(`- ${role} ${JSON.stringify(name)} @`))
  const ref = line && /@\d+/.exec(line.slice(line.indexOf(JSON.stringify(name)) + JSON.stringify(name).length))?.[0]
  if (!ref) throw new Error(`No ${role} ${JSON.stringify(name)} with a ref in:\n${snapshot}`)
  return ref
}
