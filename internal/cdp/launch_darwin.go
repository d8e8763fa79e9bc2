package cdp

func smallShm() bool { return false }
