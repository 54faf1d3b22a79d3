/**
 * CPU time of this process, its helper threads included: what a call costs, whatever else the machine does. On a core that
 * nobody else wants it is the time that passes.
 */
export function cpuTime() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
