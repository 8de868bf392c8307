// What the parts of the bench measure and print with.
import { readFileSync } from 'node:fs';
import type { IdeClient } from '../test/support/ideClient.ts';

export async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** The longest time in which the extension host has not answered while that is done, in ms. */
export async function longestPause(client: IdeClient, act: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const ping = async () => {
    while (!isDone) {
      longest = Math.max(longest, await timed(() => client.request('ping')));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const pinging = ping();
  try {
    await act();
  } finally {
    isDone = true;
    await pinging;
  }
  return longest;
}

/** The smallest resident size seen within 10 s, in bytes: the collector runs when it likes. */
export async function settledMemory(pid: number): Promise<number> {
  let smallest = Infinity;
  for (let i = 0; i < 20; i++) {
    smallest = Math.min(smallest, memoryOf(pid));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return smallest;
}

/** The resident size, in bytes, with what the collector has not taken yet. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}

export function spread(times: number[]): string {
  const [p50, p95, max] = [0.5, 0.95, 1].map((q) => ms(quantile(times, q)));
  return `p50 ${p50}, p95 ${p95}, max ${max}`;
}

export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

export function row(what: string, figure: string, good?: boolean, goal?: string): void {
  const verdict = goal === undefined ? '' : `  [goal: ${goal}: ${good ? 'met' : 'MISSED'}]`;
  console.log(`${what.padEnd(50)} ${figure}${verdict}`);
}
