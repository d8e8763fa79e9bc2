// Package processtest tells tests what programs leave behind.
package processtest
